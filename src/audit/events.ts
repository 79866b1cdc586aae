import type { JsonObject, JsonValue } from '../json.ts';
import type { Redactor } from '../redaction/redact.ts';

/** Work that a call did outside of the database, as reported by its Python code (`svc.runtime`). */
export interface AuditEvent {
  readonly kind: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: 'success' | 'error';
  readonly target: string | null;
  readonly operation: string | null;
  readonly summary: string | null;
  readonly error: string | null;
  readonly details?: JsonValue;
}

const MAX_WORD = 256;
/** The most characters that the details of all events of a call have. */
const MAX_DETAILS = 8_192;

/** Redacts the events of a call. Details are kept only if `outputs` is set, like results. */
export function toAuditEvents(
  events: readonly JsonObject[],
  redactor: Redactor,
  outputs: boolean,
): readonly AuditEvent[] {
  const text = (value: JsonValue | undefined) =>
    typeof value === 'string' ? redactor.text(value, MAX_WORD) : null;
  let left = MAX_DETAILS;
  const shown = (details: JsonValue | undefined) => {
    if (!outputs || details === null || details === undefined || left <= 0) return {};
    const kept = redactor.result(details, null);
    left -= JSON.stringify(kept).length;
    return { details: kept };
  };
  return events.map(
    ({ kind, started_at, duration_ms, status, target, operation, summary, error, details }) => ({
      kind: text(kind) ?? 'external',
      started_at: toMoment(started_at),
      duration_ms: typeof duration_ms === 'number' ? Math.max(0, Math.round(duration_ms)) : 0,
      status: status === 'error' ? 'error' : 'success',
      target: text(target),
      operation: text(operation),
      summary: text(summary),
      error: text(error),
      ...shown(details),
    }),
  );
}

/** Converts Python's seconds since 1970 to ISO 8601. */
function toMoment(seconds: JsonValue | undefined): string {
  const moment = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN);
  return Number.isNaN(moment.getTime()) ? new Date(0).toISOString() : moment.toISOString();
}
