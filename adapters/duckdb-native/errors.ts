import { type ErrorCode, SvcError } from '../../src/errors.ts';
import { memoryText, unwrapMessage } from '../../src/sql/query.ts';

const PENDING_PREFIX =
  /^Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: /;

/** What DuckDB's message says, and what it means for the caller; the first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^(FATAL|INTERNAL) Error/, 'database_unavailable'],
  [/^Out of Memory Error|bad_alloc|failed to allocate/i, 'memory_exceeded'],
  [/attached in read-only mode|launched in read-only mode/, 'database_readonly'],
  [/^INTERRUPT Error/, 'cancelled'],
  [
    /Failed to commit: Cannot open file|Could not write file|^IO Error: Could not (?:read|write|sync)/,
    'database_unavailable',
  ],
];

/** Two transactions have changed the same; the later one is undone. */
const CONFLICT = /^(TransactionContext|Transaction) Error: .*conflict/i;

/** DuckDB says where in its own code it failed, which helps nobody here; the cause keeps it. */
const STACK = /\n+Stack Trace:[\s\S]*$/;

const FATAL = /^(FATAL|INTERNAL) Error/;
const INVALIDATED = /database has been invalidated/;

/** Whether DuckDB may refuse everything from here on. */
export function isFatal(thrown: unknown): boolean {
  return thrown instanceof SvcError && FATAL.test(thrown.message);
}

/** Whether a statement failed only because another one has ended the engine. */
export function isCollateral(thrown: unknown): boolean {
  if (!(thrown instanceof SvcError)) return false;
  return thrown.code === 'cancelled' || INVALIDATED.test(thrown.message);
}

/** What those are told whose statements ran when another one ended the engine. */
export function lostError(cause: unknown): SvcError {
  const message = 'The database failed under another statement and is being opened again; try again.';
  return new SvcError('database_unavailable', message, { cause });
}

function conflictError(cause: unknown): SvcError {
  return new SvcError('busy', 'Another statement has changed the same rows; try again.', { cause });
}

/** An error of the driver with the code its text stands for; the text stays DuckDB's. */
export function toQueryError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  const said = messageOf(thrown).replace(PENDING_PREFIX, '');
  if (CONFLICT.test(said)) return conflictError(thrown);
  const message = unwrapMessage(said.replace(STACK, ''));
  const code = MEANINGS.find(([pattern]) => pattern.test(message))?.[1] ?? 'sql_failed';
  return code === 'memory_exceeded'
    ? memoryError(message, thrown)
    : new SvcError(code, message, { cause: thrown });
}

function memoryError(message: string, cause: unknown): SvcError {
  const limit = /\/([\d.]+ \wiB) used\)/.exec(message)?.[1];
  return new SvcError('memory_exceeded', memoryText(limit), { cause });
}

/** Why a database file could not be opened, and what to do about it. */
export function toOpenError(path: string, readonly: boolean, thrown: unknown): SvcError {
  const message = messageOf(thrown);
  const text = readonly ? openText(path, message) : (writeText(path, message) ?? openText(path, message));
  return new SvcError('database_unavailable', `${text}\nDuckDB: ${message}`, {
    cause: thrown,
  });
}

const READ_INSTEAD =
  'Set `readonly: true` for the database of the profile (or SVC_READONLY=true) to only read it';

/** The database and its folder, where the log of what is committed comes to lie, must be there for writing. */
function writeText(path: string, message: string): string | null {
  if (/Read-only file system|EROFS/.test(message)) {
    return `The database ${path} is on a medium that cannot be written to. ${READ_INSTEAD}.`;
  }
  if (!/permission denied|EACCES/i.test(message)) return null;
  return `The database ${path}, or the folder it is in, cannot be written to with this user's rights.
${READ_INSTEAD}, or give this user the right to write.`;
}

function openText(path: string, message: string): string {
  const holder = /Conflicting lock is held in (.+?) \(PID (\d+)\)/.exec(message);
  if (holder) {
    return `The database ${path} is in use by another process: ${holder[1]}, PID ${holder[2]}.
Stop that process, or open the database with \`readonly: true\` in both.`;
  }
  if (/Could not set lock/.test(message)) return `The database ${path} is in use by another process.`;
  if (/does not exist/.test(message)) return missingText(path);
  if (/not a valid DuckDB database/.test(message)) return `The file ${path} is no DuckDB database.`;
  if (/permission denied|EACCES/i.test(message))
    return `The database ${path} cannot be read with this user's rights.`;
  return `The database ${path} cannot be opened.`;
}

/** There is no file, and none may be made. */
export function missingText(path: string): string {
  return `There is no database file at ${path}. Create it first, or correct \`database.path\` of the profile.`;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
