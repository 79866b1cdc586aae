import { type ErrorCode, SvcError } from '../../src/errors.ts';
import { memoryText, unwrapMessage } from '../../src/sql/query.ts';

/** What DuckDB's message says, and what it means for the caller; the first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^(FATAL|INTERNAL) Error/i, 'database_unavailable'],
  [/^Out of Memory Error|failed to allocate|bad_alloc|bad allocation|no memory left/i, 'memory_exceeded'],
  [/attached in read-only mode|launched in read-only mode/i, 'database_readonly'],
  [/^INTERRUPT Error/i, 'cancelled'],
  [/^IO Error: Could not read/i, 'database_unavailable'],
];

/** An error that DuckDB reported, with the code its text stands for. */
export function toDuckdbError(message: string): SvcError {
  const code = MEANINGS.find(([pattern]) => pattern.test(message))?.[1] ?? 'sql_failed';
  if (code === 'database_readonly') return readonlyError(message);
  if (code === 'memory_exceeded') return memoryError(message);
  return new SvcError(code, unwrapMessage(message));
}

/** The wasm engine serves read-only databases. */
export function readonlyError(reason?: string): SvcError {
  return new SvcError(
    'database_readonly',
    'The wasm engine serves databases read-only. To write, set `readonly: false` for the database of the profile, and name no `engine` but auto or native.',
    reason === undefined ? {} : { cause: new Error(reason) },
  );
}

/** How much there is, nobody can change on every platform: its figures stay with the cause. */
export function memoryError(reason: string): SvcError {
  return new SvcError('memory_exceeded', memoryText(), { cause: new Error(reason) });
}

/** Out of time. */
export function deadlineError(timeoutMs: number): SvcError {
  return new SvcError('deadline_exceeded', `The query took longer than ${timeoutMs} ms.`);
}

/** The caller gave up. */
export function cancelledError(): SvcError {
  return new SvcError('cancelled', 'The call was cancelled.');
}

/** The database was closed. */
export function closedError(): SvcError {
  return new SvcError('database_unavailable', 'The database is closed.');
}

/** The engine ended under a call that was not to blame; the call can be made again. */
export class EngineReplaced extends Error {
  override readonly name = 'EngineReplaced';
}

/** Whether an error leaves the engine in an unknown state, so that it must be replaced. */
export function breaksEngine(thrown: unknown): boolean {
  return thrown instanceof SvcError ? thrown.code === 'database_unavailable' : true;
}

/** Anything thrown while the engine worked: what is not ours is a trap. */
export function toEngineError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (thrown instanceof RangeError) {
    return new SvcError('sql_failed', 'The statement is nested too deeply for this engine.', {
      cause: thrown,
    });
  }
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new SvcError('database_unavailable', `The database engine failed on this statement: ${reason}`, {
    cause: thrown,
  });
}
