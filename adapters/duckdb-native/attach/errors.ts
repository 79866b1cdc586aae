import { messageOf, SvcError } from '../../../src/errors.ts';
import { type Attachment, parseAttachmentUri } from '../../../src/project/attachment.ts';
import { REDACTED } from '../../../src/redaction/hidden-texts.ts';
import { createConcealment, hiddenValues } from '../../../src/settings/references/concealment.ts';
import type { DatabaseSecret } from '../options.ts';

/**
 * An error of DuckDB's extensions has two parts: the failed action, often with a query that quotes values of callers, and
 * the answer of the server. Each answer of Postgres begins with a word such as ERROR.
 */
const FAILED = /^(?:Invalid|IO|Binder|TransactionContext) Error: Failed to /;
const REFUSED = ': ERROR:  ';
const UNSERIALIZABLE = /^(?:could not serialize access|deadlock detected)/;

/** SQLite's answer is the end of the text. */
const LOCKED =
  /^(?:Invalid|IO|Binder|TransactionContext) Error: (?:Failed to [\s\S]*: )?database is locked(?:\n\nLINE \d+: [^\n]*\n *\^)?$/;

/** Whether an attached Postgres server or SQLite file rolled a transaction back because another one was faster. */
export function isServerConflict(message: string): boolean {
  if (LOCKED.test(message)) return true;
  if (!FAILED.test(message)) return false;
  // A value that looks like such an answer stands beside the real one.
  const answers = message.split(REFUSED).slice(1);
  return answers.length > 0 && answers.every((answer) => UNSERIALIZABLE.test(answer));
}

/** A connection could not be made. The text quotes the connection string, and nothing of a statement before it. */
const UNCONNECTED =
  /^(?:Invalid|IO|Binder|TransactionContext) Error: (?:Failed to commit: )?(?:Failed to query most recent snapshot |(?:Failed to [\w ]+: )?(?:Unable|Failed) to connect to (?:Postgres|MySQL) )/;

/** A connection ended, in the words of libpq. */
const ENDED =
  /(?:: |\n)(?:(?:FATAL|WARNING): {2}terminating connection|server closed the connection|connection to server |no connection to the server|could not (?:receive data from|send data to) server|SSL connection has been closed)/;

/** A connection ended, in the words of MySQL's library, which are the end of the text. */
const ENDED_MYSQL =
  /: (?:(?:MySQL )?server has gone away|Lost connection to (?:MySQL )?server[^"\n]{0,200})$/i;

/**
 * Whether DuckDB's text says that an attached server cannot be reached. Its class is IO or none, as of other errors, so the
 * words decide: those of the server's library and of DuckDB's extensions, where these stand.
 */
export function isLostConnection(message: string): boolean {
  if (UNCONNECTED.test(message)) return true;
  if (!FAILED.test(message) || message.includes(REFUSED)) return false;
  return ENDED.test(message) || ENDED_MYSQL.test(message);
}

/** The servers that a text about a lost connection names by their connection string; all if it names none. */
export function lostAmong(servers: readonly Attachment[], message: string): readonly Attachment[] {
  const [first = ''] = message.split('\n');
  const named = UNCONNECTED.test(first) ? servers.filter(({ uri }) => first.includes(stringOf(uri))) : [];
  return named.length === 0 ? servers : named;
}

/** The connection string of a server, also as the catalogue of a lake. */
function stringOf(uri: string): string {
  return parseAttachmentUri(uri).address.replace(/^(?:postgres|mysql):(?!\/\/)/, '');
}

const ABSENT = /^(?:Binder|Catalog) Error: Catalog (?:with name )?"?([^"\n]+)"? does not exist!/;

/** The database that DuckDB says is not attached, if that is the error. */
export function absentDatabase(message: string): string | undefined {
  return ABSENT.exec(message)?.[1];
}

/** The database server or the file answered no, or did not answer. */
export function unreachableError(attached: readonly Attachment[], reason: string): SvcError {
  const [own] = attached.filter((one) => one.own === true);
  const what =
    own === undefined
      ? `The attached database ${attached.map(({ name }) => name).join(' or ')}`
      : `The database ${own.uri}`;
  const where =
    own === undefined
      ? '`uri` and `secret` of its entry under `database.attach`, and that its server runs'
      : '`database.path`, and the secret of the user file that opens it';
  const message = `${what} cannot be reached: ${reason}\nCheck ${where}. The next call connects again.`;
  return new SvcError('database_unavailable', message);
}

/** Whether an error says that a database beside or in place of a file cannot be reached. */
export function isUnreachable({ message }: SvcError): boolean {
  return /^The (?:attached )?database .* cannot be reached: /.test(message);
}

/** Removes credentials from DuckDB's texts. */
export type Redact = (text: string) => string;

/** A connection string, as DuckDB quotes it in its errors. The server's own text, which follows, may quote names too. */
const CONNECTION_STRING =
  /(?<=to (?:Postgres|MySQL)|"__ducklake\w*") at (?:path \+ )?"[^\n]*?(?:"(?=:|Unable|\n|$):? ?|(?=\n|$))/g;
const ASSIGNED =
  /\b(password|passwd|pwd|secret|key_id|session_token|\w*token|signature)(\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s"'&]+)/gi;

/** Creates a redaction that removes the values of these secrets, and texts that look like a credential. */
export function createRedaction(secrets: readonly DatabaseSecret[]): Redact {
  const { add, conceal } = createConcealment();
  for (const { parameters } of secrets) add(hiddenValues(parameters));
  return (text) => conceal(text.replace(ASSIGNED, (_, key, equals) => `${key}${equals}${REDACTED}`));
}

/** DuckDB's reason for a failed ATTACH in one line, without the connection string. */
export function reasonOf(thrown: unknown, redact: Redact): string {
  const [first = ''] = messageOf(thrown).replace(CONNECTION_STRING, ': ').split('\n');
  return redact(
    first
      .replace(/^\w[\w ]*Error: /, '')
      .replace(/(?<!\s)\s*:(?:\s*:)*/g, ':')
      .trim(),
  );
}
