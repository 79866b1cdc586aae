import type { LiveCall } from '../cli/workbench/model.ts';
import { Json } from './value.tsx';

/** The steps of a call on a time line, and its audit record. */
export function CallDetail({ call: { spans, record } }: { readonly call: LiveCall }) {
  const total = Math.max(0.01, ...spans.map(({ start_ms, duration_ms }) => start_ms + duration_ms));
  const hash = spans
    .map(({ attributes }) => attributes['db.statement.hash'])
    .find((one) => one !== undefined);
  return (
    <>
      {spans.length === 0 ? <p class="dim">The steps of this call were not recorded.</p> : null}
      <ol class="timeline" aria-label="Steps">
        {spans.map(({ name, depth, start_ms, duration_ms, attributes }, index) => (
          <li key={index} title={JSON.stringify(attributes)}>
            <span class={`step depth-${Math.min(depth, 5)}`}>{name}</span>
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect
                x={(start_ms / total) * 100}
                y="1"
                width={Math.max(0.5, (duration_ms / total) * 100)}
                height="6"
              />
            </svg>
            <span class="number">{duration_ms.toFixed(2)} ms</span>
          </li>
        ))}
      </ol>
      {hash === undefined ? null : (
        <p>
          Statement <code>{String(hash)}</code>
        </p>
      )}
      <h3>Audit record</h3>
      <Json value={JSON.parse(JSON.stringify(record))} />
    </>
  );
}
