import { type ErrorCode, messageOf, SvcError } from '../../src/errors.ts';
import { memoryText, shortMessage, unwrapMessage } from '../../src/sql/query.ts';
import { readonlyProblem } from '../../src/sql/statement.ts';
import { ObjectReplaced } from './engine/database-file.ts';

/**
 * DuckDB's messages and our codes for them; the first match counts. Each pattern begins at the beginning of the text,
 * because the rest may quote values of a caller or a row.
 */
const MEANINGS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^(FATAL|INTERNAL) Error/i, 'database_unavailable'],
  [/^Out of Memory Error|^(?:Invalid Error: )?std::bad_alloc/i, 'memory_exceeded'],
  // Our own functions say so.
  [
    /^(?:Invalid Input|Conversion|Binder) Error: (?:The engine has no memory left for \d+ bytes|There is no memory left for the JSON)/,
    'memory_exceeded',
  ],
  [
    /^Invalid Input Error: Cannot execute statement of type "\w+" on database [^\n]* attached in read-only mode/,
    'database_readonly',
  ],
  [
    /^TransactionContext Error: Cannot write to database [^\n]* launched in read-only mode/,
    'database_readonly',
  ],
  [/^INTERRUPT Error/i, 'cancelled'],
  [/^IO Error: Could not read/i, 'database_unavailable'],
];

/** Converts a message of DuckDB to an error; the code follows from the text. */
export function toDuckdbError(said: string): SvcError {
  const message = shortMessage(said);
  const code = MEANINGS.find(([pattern]) => pattern.test(message))?.[1] ?? 'sql_failed';
  if (code === 'database_readonly')
    return readonlyError('The wasm engine serves databases read-only.', message);
  if (code === 'memory_exceeded') return memoryError(message);
  return new SvcError(code, unwrapMessage(message));
}

/** The error for a statement that is no query. Its first line says why. */
function readonlyError(problem: string, reason?: string): SvcError {
  return new SvcError(
    'database_readonly',
    `${problem}\nTo run it, set \`readonly: false\` for the database of the profile, and name no \`engine\` but auto or native.`,
    reason === undefined ? {} : { cause: new Error(reason) },
  );
}

/** Refuses a statement that is no query: the wasm engine serves databases read-only. One without a verb is a mistake. */
export function refuseWrite(sql: string): never {
  throw readonlyError(readonlyProblem(sql, 'a database of the wasm engine'));
}

/** The error for exhausted memory. DuckDB's figures stay in `cause`, because users cannot change them on every platform. */
export function memoryError(reason: string): SvcError {
  return new SvcError('memory_exceeded', memoryText(), { cause: new Error(reason) });
}

/** The error for a database that is closed. */
export function closedError(): SvcError {
  return new SvcError('database_unavailable', 'The database is closed.');
}

/** The engine was replaced during a call that did not cause it. The call can be repeated. */
export class EngineReplaced extends Error {
  override readonly name = 'EngineReplaced';
}

/**
 * Whether an error leaves the engine in an unknown state. It must then be replaced. `failure` is the reason of a failed
 * read of a fetched file: DuckDB ends the statement with an error, and goes on unless the object was replaced.
 */
export function breaksEngine(thrown: unknown, failure: SvcError | null = null): boolean {
  if (!(thrown instanceof SvcError)) return true;
  if (failure === null) return thrown.code === 'database_unavailable';
  if (failure.code === 'internal' || failure.cause instanceof ObjectReplaced) return true;
  return thrown !== failure && /^(FATAL|INTERNAL) Error/i.test(thrown.message);
}

/** Converts anything thrown inside the engine. An error that is not ours is a trap. */
export function toEngineError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (thrown instanceof RangeError) {
    return new SvcError('sql_failed', 'The statement is nested too deeply for this engine.', {
      cause: thrown,
    });
  }
  const message = `The database engine failed on this statement: ${messageOf(thrown)}`;
  return new SvcError('database_unavailable', message, { cause: thrown });
}
