import type { Activity, EndpointCard, WorkbenchState } from '../cli/workbench/model.ts';
import { toHash } from './address.ts';
import { Drawing } from './drawing.tsx';
import { Scroll } from './scroll.tsx';
import type { Live } from './server.ts';

type Statistics = Activity['endpoints'][number];

/** The statistics of an endpoint; undefined before its first call, and for a disabled one. */
export function statisticsOf(
  { activity }: Live,
  { kind, name, enabled }: EndpointCard,
): Statistics | undefined {
  if (!enabled) return undefined;
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

const NO_TEXTS: ReadonlySet<string> = new Set();

type Minutes = Activity['minutes'];

/** Calls and errors per minute of the last hour. */
function CallChart({ minutes }: { readonly minutes: Minutes }) {
  const rows = minutes.map(({ minute, calls, errors }) => ({ minute: timeOf(minute), calls, errors }));
  return (
    <section>
      <h2>Calls per minute</h2>
      <Drawing rows={rows} texts={NO_TEXTS} view="bar" title="Calls per minute of the last hour" />
    </section>
  );
}

function timeOf(minute: string): string {
  return new Date(minute).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}
