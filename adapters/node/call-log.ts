import { toOperationName } from '../../src/audit/record.ts';
import type { CallObserver, CallRecord } from '../../src/call/call-record.ts';
import { traceIdOf } from '../../src/context.ts';
import { oneLine } from '../../src/one-line.ts';
import type { Log } from '../../src/ports.ts';

/**
 * Logs one line for each call: its endpoint, outcome, milliseconds, rows and caller. The line has no argument and no result,
 * and an unknown name is redacted.
 *
 *     tool sales_by_region ok 4.2 ms 12 rows ada
 */
export function createCallLog(log: Log): CallObserver {
  return (record) => {
    const { kind, context, durationMs } = record;
    const name = toOperationName(record);
    const outcome = outcomeOf(record);
    // Null for a result that is no list.
    const rows = Array.isArray(record.result) ? record.result.length : null;
    const user = context.user?.username ?? context.user?.email ?? context.user?.id ?? null;
    const traceId = record.traceId ?? traceIdOf(context.traceparent);
    const parts = [
      kind,
      name,
      outcome,
      `${durationMs.toFixed(1)} ms`,
      rows === null ? null : counted(rows),
      user,
    ];
    log({
      level: 'info',
      message: oneLine(parts.filter((part) => part !== null).join(' ')),
      fields: {
        request_id: context.requestId,
        ...(traceId === null ? {} : { trace_id: traceId }),
        kind,
        endpoint: name,
        outcome,
        duration_ms: Math.round(durationMs * 10) / 10,
        ...(rows === null ? {} : { rows }),
        ...(user === null ? {} : { user }),
      },
      isCall: true,
    });
  };
}

/** `ok`, `denied`, or the code of the error. */
function outcomeOf({ status, decision, error }: CallRecord): string {
  if (status === 'success') return 'ok';
  return decision.outcome === 'deny' ? 'denied' : (error?.code ?? 'error');
}

function counted(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}
