import type { Activity, EndpointCard, WorkbenchState } from '../cli/workbench/model.ts';
import { toHash } from './address.ts';
import { Scroll } from './scroll.tsx';
import type { Live } from './server.ts';

type Statistics = Activity['endpoints'][number];

/** The statistics of an endpoint; undefined before its first call. */
export function statisticsOf({ activity }: Live, { kind, name }: EndpointCard): Statistics | undefined {
  return activity?.endpoints.find(({ endpoint }) => endpoint === `${kind}/${name}`);
}

/** Every endpoint with its calls and its cost in a model's context. */
export function Overview({ live, state }: { readonly live: Live; readonly state: WorkbenchState }) {
  const tokens = state.endpoints.reduce((sum, endpoint) => sum + endpoint.tokens, 0);
  const minutes = live.activity?.minutes ?? [];
  const sum = (key: 'calls' | 'errors' | 'denials') =>
    minutes.reduce((total, minute) => total + minute[key], 0);
  const sorted = state.endpoints.toSorted((one, other) => other.tokens - one.tokens);
  return (
    <>
      <dl class="cards">
        <Card name="Calls in the last hour" value={sum('calls')} />
        <Card name="Errors" value={sum('errors')} />
        <Card name="Denied" value={sum('denials')} />
        <Card name="Tokens of the catalogue" value={tokens} />
      </dl>
      <CallChart minutes={minutes} />
      <section>
        <h2>Endpoints</h2>
        <p class="dim">
          A client that loads every tool spends about {tokens.toLocaleString()} tokens before the first call.
          The dearest endpoint is first.
        </p>
        <Scroll label="Endpoints with statistics">
          <table>
            <thead>
              <tr>
                <th>Endpoint</th>
                <th class="number">Tokens</th>
                <th class="number">Calls</th>
                <th class="number">Errors</th>
                <th class="number">Denied</th>
                <th class="number">p50</th>
                <th class="number">p95</th>
                <th class="number">p99 ms</th>
                <th class="number">Rows</th>
                <th class="number">From cache</th>
              </tr>
            </thead>
            <tbody>
              {sorted.map((endpoint) => (
                <Row key={endpoint.id} endpoint={endpoint} statistics={statisticsOf(live, endpoint)} />
              ))}
            </tbody>
          </table>
        </Scroll>
      </section>
    </>
  );
}

function Card({ name, value }: { readonly name: string; readonly value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value.toLocaleString()}</dd>
    </div>
  );
}

function Row({
  endpoint,
  statistics,
}: {
  readonly endpoint: EndpointCard;
  readonly statistics: Statistics | undefined;
}) {
  const { id, kind, name, tokens } = endpoint;
  const cells = statistics
    ? [
        statistics.calls,
        statistics.errors,
        statistics.denials,
        statistics.p50_ms,
        statistics.p95_ms,
        statistics.p99_ms,
        statistics.rows,
        statistics.cache_hits,
      ]
    : [0, 0, 0, '-', '-', '-', '-', '-'];
  return (
    <tr>
      <td>
        <a href={toHash(id)}>{name}</a> <span class="dim">{kind}</span>
      </td>
      <td class="number">{tokens.toLocaleString()}</td>
      {cells.map((cell, index) => (
        <td key={index} class="number">
          {cell.toLocaleString()}
        </td>
      ))}
    </tr>
  );
}

type Minutes = Activity['minutes'];

/** Calls per minute of the last hour, with both axes. */
function CallChart({ minutes }: { readonly minutes: Minutes }) {
  const most = Math.max(1, ...minutes.map(({ calls }) => calls));
  const heightOf = (count: number) => (count / most) * 80;
  return (
    <section>
      <h2>Calls per minute</h2>
      <svg
        class="chart"
        viewBox="0 0 640 110"
        role="img"
        aria-label={`Calls per minute of the last hour, at most ${most}`}
      >
        <text x="32" y="12" text-anchor="end">
          {most}
        </text>
        <text x="32" y="90" text-anchor="end">
          0
        </text>
        <path class="axis" d="M38 6V90H638" />
        {minutes.map(({ minute, calls, errors }, index) => (
          <g key={minute}>
            <rect
              class="calls"
              x={40 + index * 10}
              y={90 - heightOf(calls)}
              width="7"
              height={heightOf(calls)}
            />
            <rect
              class="errors"
              x={40 + index * 10}
              y={90 - heightOf(errors)}
              width="7"
              height={heightOf(errors)}
            />
          </g>
        ))}
        <text x="40" y="106">
          60 minutes ago
        </text>
        <text x="638" y="106" text-anchor="end">
          now
        </text>
      </svg>
    </section>
  );
}
