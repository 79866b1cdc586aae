import { causesOf, type ErrorCode, messageOf, SvcError } from '../../src/errors.ts';
import { memoryText, shortMessage, unwrapMessage } from '../../src/sql/query.ts';
import { isServerConflict } from './attach/errors.ts';
import { withoutInvalidFormat } from './query/strftime.ts';

const PENDING_PREFIX =
  /^Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: /;

/*
 * Each pattern below begins at the beginning of DuckDB's text. The rest of the text may quote values of a caller or a row,
 * such as the key of a violated constraint.
 */

/** The beginning of the error for a failed commit, before the reason. A lake quotes reasons of its own catalogue. */
const COMMIT =
  'TransactionContext Error: Failed to commit: (?:Failed to commit DuckLake transaction\\.\\s+(?:Failed to [\\w ]+: )?)?';

/** DuckDB's messages and our codes for them; the first match counts. */
const MEANINGS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^(FATAL|INTERNAL) Error/, 'database_unavailable'],
  [/^Out of Memory Error|^(?:Invalid Error: )?std::bad_alloc/, 'memory_exceeded'],
  [
    new RegExp(
      `^${COMMIT}(?:failed to (?:allocate|pin|reserve) |could not allocate |Allocation failure|std::bad_alloc)`,
    ),
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
  [/^INTERRUPT Error/, 'cancelled'],
  [
    new RegExp(
      `^${COMMIT}(?:Cannot open file|Could not write file)|^IO Error: Could not (?:read|write|sync)`,
    ),
    'database_unavailable',
  ],
];

/** Two transactions changed the same rows, or the same table; DuckDB rolled the later one back. */
const CONFLICT = new RegExp(
  `^(?:${COMMIT}|(?:TransactionContext|Transaction) Error: )(?:Conflict on |Catalog write-write conflict |Transaction conflict\\b)`,
);

/** DuckDB's class of errors of the network, and its errors of files whose text names a request. */
const REMOTE = /^HTTP Error: |^IO Error: [^\n]* error for HTTP [A-Z]+ /;
const NOT_FOUND = /\b(?:HTTP |HTTP code )404\b/;
const URL_QUERY = /(?<=https?:\/\/[^\s'"?]*)\?[^\s'"]*/g;

/** The beginning of DuckDB's stack trace, which we remove from the message; `cause` keeps it. */
const STACK = '\nStack Trace:';

const FATAL = /^(FATAL|INTERNAL) Error/;
const INVALIDATED = /database has been invalidated/;

/** Whether DuckDB may refuse all further statements after this error. */
export function isFatal(thrown: unknown): boolean {
  return thrown instanceof SvcError && FATAL.test(thrown.message);
}

/** Whether a statement failed only because another one invalidated the database. */
export function isCollateral(thrown: unknown): boolean {
  if (!(thrown instanceof SvcError)) return false;
  return thrown.code === 'cancelled' || INVALIDATED.test(thrown.message);
}

const SENT_AWAY = 'The database failed under another statement and is being opened again; try again.';

/** The error for statements that were running when the database had to be opened again because of another one. */
export function sentAwayError(cause?: unknown): SvcError {
  return new SvcError('database_unavailable', SENT_AWAY, { cause });
}

/** Whether a statement failed only because the database is being opened again. */
export function isSentAway(thrown: unknown): boolean {
  return thrown instanceof SvcError && thrown.message === SENT_AWAY;
}

/** Whether a statement failed only because another transaction was faster. It was rolled back. */
export function isConflict(thrown: unknown): boolean {
  return thrown instanceof SvcError && thrown.code === 'busy';
}

/**
 * The beginning of DuckDB's error if the rows of a commit are in its log, and only the checkpoint after it failed. Texts
 * that callers choose come later, such as the key in a violated constraint.
 */
const COMMITTED = /^[A-Z][\w ]* Error: Transaction COMMIT succeeded and is durable/;

/** Whether a commit that threw has succeeded. An attached lake quotes the text, and may still have undone the commit. */
export function isCommitted(thrown: unknown): boolean {
  return says(thrown, COMMITTED);
}

/** DuckDB's errors of a commit that it has undone, or of a transaction that had failed before. */
const UNDONE = /^TransactionContext Error: (?:Failed to commit|Current transaction is aborted)/;

/** Whether DuckDB says that a commit saved nothing. */
export function isUndone(thrown: unknown): boolean {
  return says(thrown, UNDONE);
}

/** Whether nothing tells if a commit saved anything. */
export function isUnknown(thrown: unknown): boolean {
  return thrown instanceof SvcError && thrown.code === 'outcome_unknown';
}

/** Whether there was nothing to commit. */
export function lacksTransaction(thrown: unknown): boolean {
  return says(thrown, /^TransactionContext Error: cannot commit - no transaction is active/);
}

/** Whether DuckDB's error begins so. Our text for it may be another. */
function says(thrown: unknown, beginning: RegExp): boolean {
  if (!(thrown instanceof SvcError)) return false;
  return [thrown.message, ...causesOf(thrown)].some((text) =>
    beginning.test(text.replace(PENDING_PREFIX, '')),
  );
}

const UNKNOWN = 'so the change may be there or not. Read it before you try again.';

/** The error for a commit that a server did not answer before the deadline. */
export function overdueCommitError(): SvcError {
  return new SvcError(
    'outcome_unknown',
    `The deadline passed before the database said that it had saved the change, ${UNKNOWN}`,
  );
}

/** The error for a commit whose connection to a server was lost. */
export function lostCommitError(cause: unknown): SvcError {
  return new SvcError(
    'outcome_unknown',
    `The connection to the database was lost while it saved the change, ${UNKNOWN}`,
    { cause },
  );
}

/** The error for a statement that could not reach its remote files; any other error stays as it is. */
export function explainRemote(thrown: unknown): unknown {
  if (!(thrown instanceof SvcError) || !REMOTE.test(thrown.message) || NOT_FOUND.test(thrown.message)) {
    return thrown;
  }
  const [first = ''] = thrown.message.replace(/^\w+ Error: /, '').split('\n');
  return new SvcError(
    'database_unavailable',
    `Remote data cannot be reached: ${first.replace(URL_QUERY, '')}
Check the address, its secret in the user file, and that its server answers.`,
  );
}

function conflictError(cause: unknown): SvcError {
  return new SvcError('busy', 'Another statement has changed the same rows; try again.', { cause });
}

/** Converts an error of the driver: the code follows from DuckDB's text, which stays the message. */
export function toQueryError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  const said = shortMessage(messageOf(thrown)).replace(PENDING_PREFIX, '');
  const message = unwrapMessage(withoutInvalidFormat(withoutStack(said)));
  if (CONFLICT.test(message) || isServerConflict(message)) return conflictError(thrown);
  const code = MEANINGS.find(([pattern]) => pattern.test(message))?.[1] ?? 'sql_failed';
  return code === 'memory_exceeded'
    ? memoryError(message, thrown)
    : new SvcError(code, message, { cause: thrown });
}

function withoutStack(message: string): string {
  const at = message.indexOf(STACK);
  return at === -1 ? message : message.slice(0, at);
}

function memoryError(message: string, cause: unknown): SvcError {
  const limit = /\/([\d.]+ \wiB) used\)/.exec(message)?.[1];
  return new SvcError('memory_exceeded', memoryText(limit), { cause });
}

/** The error for a database file that cannot be opened, with advice. */
export function toOpenError(path: string, readonly: boolean, thrown: unknown): SvcError {
  const message = messageOf(thrown);
  const text = readonly ? openText(path, message) : (writeText(path, message) ?? openText(path, message));
  return new SvcError('database_unavailable', `${text}\nDuckDB: ${message}`, {
    cause: thrown,
  });
}

const READ_INSTEAD =
  'Set `readonly: true` for the database of the profile (or SVC_READONLY=true) to only read it';

/** Explains that a database or its folder, which has the log, cannot be written to; null for other errors. */
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

/** The text for a missing file that must not be created. */
export function missingText(path: string): string {
  return `There is no database file at ${path}. Create it first, or correct \`database.path\` of the profile. Copy an artefact with all of its files.`;
}
