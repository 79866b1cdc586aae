import { type ErrorCode, SvcError } from '../../src/errors.ts';

/** What DuckDB's message begins with, or says, and what it means for the caller; the first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^(FATAL|INTERNAL) Error/i, 'database_unavailable'],
  [/^Out of Memory Error|failed to allocate|bad_alloc|bad allocation|^Out of memory/i, 'memory_exceeded'],
  [/attached in read-only mode|read-only mode|opened in read-only/i, 'database_readonly'],
  [/^INTERRUPT Error/i, 'cancelled'],
  [/^IO Error: Could not read/i, 'database_unavailable'],
];

/** An error that DuckDB reported, with the code its text stands for. */
export function toDuckdbError(message: string): SvcError {
  const code = MEANINGS.find(([pattern]) => pattern.test(message))?.[1] ?? 'sql_failed';
  if (code === 'database_readonly') return readonlyError(message);
  return new SvcError(code, message);
}

/** The wasm engine serves read-only databases. */
export function readonlyError(reason?: string): SvcError {
  return new SvcError(
    'database_readonly',
    'The wasm engine serves databases read-only. Open the database with `engine: native` to write to it.',
    reason === undefined ? {} : { cause: new Error(reason) },
  );
}

/** Whether an error leaves the engine in an unknown state, so that it must be replaced. */
export function isBroken(thrown: unknown): boolean {
  if (thrown instanceof SvcError) return thrown.code === 'database_unavailable';
  return true;
}

/** Anything thrown while the engine worked: what is not ours is a trap, after which the engine is replaced. */
export function toFailure(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (thrown instanceof RangeError) {
    return new SvcError('sql_failed', 'The statement is nested too deeply for this engine.', {
      cause: thrown,
    });
  }
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new SvcError('database_unavailable', `The database engine failed and is being replaced: ${reason}`, {
    cause: thrown,
  });
}
