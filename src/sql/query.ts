import { SvcError } from '../errors.ts';
import { tokenTexts } from './lexer.ts';
import { refuseSentWrites } from './sent-writes.ts';
import { statementsOf } from './statement.ts';

/**
 * Wraps a statement as a derived table, so that only a reading statement is valid. The line break ends a trailing comment.
 * The limit is a number or a parameter.
 */
export function asQuery(sql: string, limit: number | `$${number}`): string {
  refuseRevealing(sql);
  const name = calledFunction(sql, ACTING);
  if (name !== undefined) throw rejection(name);
  refuseSleep(sql);
  refuseSentWrites(sql);
  return `SELECT * FROM (${withoutEnd(sql)}\n) LIMIT ${limit}`;
}

/** Limits a statement without a query around it, which DuckDB plans in less time. DuckDB refuses it if the statement has a LIMIT. */
export function asBareQuery(sql: string, limit: `$${number}`): string {
  return `(${withoutEnd(sql)}\n) LIMIT ${limit}`;
}

/**
 * Returns a statement without its closing semicolon and the comments behind it. The text before it stays, so that errors
 * name the right lines. Two statements stay too, and DuckDB refuses them.
 */
function withoutEnd(sql: string): string {
  if (!sql.includes(';')) return sql;
  const [only, second] = statementsOf(sql);
  return only === undefined || second !== undefined ? sql : sql.slice(0, only.offset + only.text.length);
}

/**
 * Whether a bare query has the same columns as one with a query around it, which renames the second of two columns with
 * the same name. A statement without columns is no query.
 */
export function isSameBare(names: readonly string[]): boolean {
  return names.length > 0 && new Set(names.map((name) => name.toLowerCase())).size === names.length;
}

/**
 * Functions that any query may call although the configuration is locked. DuckDB's log shows every caller's SQL and can
 * be sent to stdout; a profile can be written to a file; another parser would be set for all connections; the list of
 * secrets shows some of their values.
 */
const REVEALING =
  /\b(?:(?:en|dis)able_(?:logging|profiling|peg_parser)|truncate_duckdb_logs|duckdb_log\w*|write_log|duckdb_secrets)\b/i;

/** Throws sql_rejected for SQL that would reveal other callers' queries or the configuration. */
export function refuseRevealing(sql: string): void {
  const [name] = REVEALING.exec(sql) ?? [];
  if (name !== undefined) throw rejection(name);
}

/** Functions that run SQL built from text, which nothing can check beforehand; checkpoints rewrite the database file. */
const ACTING = /^"?(query|query_table|json_execute_serialized_sql|(?:force_)?checkpoint)"?$/i;

/**
 * The names of functions that take the name of a table, the path of a file or a whole query as a text. No check of a caller's
 * statement sees what they read. `histogram` names an aggregate too, and callers may call neither.
 */
export const NAMING = 'histogram(?:_values)?|sql_auto_complete|json_serialize_plan';

const SLEEPING = /^"?(sleep_ms|pg_sleep)"?$/i;

/** Throws for SQL that sleeps: it holds a thread of the engine, and other callers wait for it. */
function refuseSleep(sql: string): void {
  const name = calledFunction(sql, SLEEPING);
  if (name === undefined) return;
  throw new SvcError(
    'sql_rejected',
    `The statement uses ${name}, which blocks other callers of the database. Remove it.`,
  );
}

/** Returns the first function that a statement calls and a pattern matches. */
export function calledFunction(sql: string, pattern: RegExp): string | undefined {
  const words = tokenTexts(sql);
  // `WITH query(a) AS` only names a table.
  const called = (word: string, at: number): boolean =>
    pattern.test(word) &&
    words[at + 1]?.[0] === '(' &&
    !/^(with|recursive)$/i.test(words[at - 1] ?? '') &&
    !isGlobOperator(word, words[at - 1]);
  return words.find(called);
}

/** After these words, a name before a parenthesis calls a table function. */
const BEFORE_TABLE =
  /^(?:from|join|lateral|only|table|call|(?:un)?pivot(?:_\w+)?|summarize|describe|desc|show|explain|analyze)$/i;

/** Whether a word compares the operand before it, as in `name GLOB ('a*')`. The function `glob` lists files. */
export function isGlobOperator(word: string, before = ''): boolean {
  return /^glob$/i.test(word) && /^[\w"')\]}]|^[^\0-\x7f]/.test(before) && !BEFORE_TABLE.test(before);
}

/** The error for a statement that would do more than read the database's own data. */
export function rejection(name: string): SvcError {
  return new SvcError(
    'sql_rejected',
    `The statement uses ${name}, which reaches beyond the database's own data. Leave it out.`,
  );
}

const [BEFORE = ''] = asQuery('', 1).split('\n');
const EXCERPT = /\n\nLINE \d+: [^\n]*\n *\^/g;
/** DuckDB's suggestion of a table of its own, for want of a better one. Nobody means it. */
const OWN_TABLE = /\nDid you mean "(?:sqlite|pg|duckdb|pragma)_\w+"\?/;
/** DuckDB's advice to install an extension, which neither callers nor endpoints can follow. */
const INSTALLING = /(?<=exists in the \w+ extension\.)\n\nPlease try installing [\s\S]*/;
const FIRST_LINE = '\n\nLINE 1: ';
/** DuckDB's message for a text that it makes several statements of, although it is one. */
const SEVERAL = /^Invalid Input Error: Cannot prepare multiple statements at once!?$/;
/** Our text for it. */
export const SEVERAL_TEXT =
  'Invalid Input Error: DuckDB makes several statements of this one. A PIVOT must name its values, as in `PIVOT sales ON year IN (2023, 2024) USING sum(amount)`.';

/**
 * The most characters of DuckDB's message that we read. It may quote a text of any length. A request is shorter, so that
 * an argument is whole in it, and can be removed.
 */
const LONGEST_MESSAGE = 2 ** 21;

/** The beginning of a message that is too long. */
export function shortMessage(message: string): string {
  return message.slice(0, LONGEST_MESSAGE);
}

/**
 * Rewrites DuckDB's message about a wrapped statement, so that it
 * describes the original statement and shows its excerpt once.
 */
export function unwrapMessage(message: string): string {
  if (SEVERAL.test(message)) return SEVERAL_TEXT;
  const [excerpt = ''] = message.match(EXCERPT) ?? [];
  return (
    message.replace(EXCERPT, '').replace(OWN_TABLE, '').replace(INSTALLING, '').trimEnd() +
    unwrapExcerpt(excerpt)
  );
}

/** Removes the wrapping from the first line and moves the mark below it to the left accordingly. */
function unwrapExcerpt(excerpt: string): string {
  if (!excerpt.startsWith(FIRST_LINE + BEFORE)) return excerpt;
  const [line = '', mark = ''] = excerpt.slice(FIRST_LINE.length + BEFORE.length).split('\n');
  return `${FIRST_LINE}${line}\n${mark.slice(BEFORE.length)}`;
}

/** The reason, for `busyError`, when a full queue refuses a query. */
export const OVERLOADED = 'The database has too much to do';

/** The message for exhausted memory. DuckDB's own text recommends settings that callers cannot change. */
export function memoryText(limit?: string): string {
  const allowed = limit === undefined ? 'there is' : `the ${limit} that \`database.memory_limit\` allows`;
  return `The query needs more memory than ${allowed}. Read or group less at a time.`;
}

/** DuckDB's text for a defect of its own, and ours for an engine that a statement ended. */
const DEFECT = /^(?:INTERNAL Error\b|The database engine failed on this statement\b)/i;

/** The error of a read on which the engine failed. It would fail on it again, so the database is not what is unavailable. */
export function explainDefect(thrown: unknown): unknown {
  if (!(thrown instanceof SvcError) || thrown.code !== 'database_unavailable') return thrown;
  if (!DEFECT.test(thrown.message)) return thrown;
  const message =
    'The database engine failed on this statement, because of a defect of DuckDB. Write it in another way.';
  return new SvcError('sql_failed', message, { cause: thrown });
}
