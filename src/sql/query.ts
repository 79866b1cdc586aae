import { SvcError } from '../errors.ts';
import { lexSql } from './lexer.ts';

/** As a derived table a statement can only be one that reads; the line break ends a trailing comment. */
export function asQuery(sql: string, limit: number): string {
  refuseRevealing(sql);
  const name = calledFunction(sql, ACTING);
  if (name !== undefined) throw rejection(name);
  return `SELECT * FROM (${sql}\n) LIMIT ${limit}`;
}

/**
 * DuckDB's log shows every caller's SQL and can be turned towards stdout, by functions that a locked configuration
 * leaves open to any query; its list of secrets shows some of them as they are.
 */
const REVEALING =
  /\b(?:(?:en|dis)able_logging|truncate_duckdb_logs|duckdb_log\w*|write_log|duckdb_secrets)\b/i;

/** Throws for SQL that would show what others ask, or what the configuration keeps to itself. */
export function refuseRevealing(sql: string): void {
  const [name] = REVEALING.exec(sql) ?? [];
  if (name !== undefined) throw rejection(name);
}

/** Most run SQL that is put together from text, where nobody could see what it uses; the last writes the file anew. */
const ACTING = /^"?(query|query_table|json_execute_serialized_sql|(?:force_)?checkpoint)"?$/i;

/** The first function of a pattern's that a statement calls. */
export function calledFunction(sql: string, pattern: RegExp): string | undefined {
  const words = lexSql(sql)
    .tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment')
    .map(({ start, end }) => sql.slice(start, end));
  // `WITH query(a) AS` only names a table.
  const called = (word: string, at: number): boolean =>
    pattern.test(word) && words[at + 1]?.[0] === '(' && !/^(with|recursive)$/i.test(words[at - 1] ?? '');
  return words.find(called);
}

/** What a statement is told that would do more than read the database's own data. */
export function rejection(name: string): SvcError {
  return new SvcError(
    'sql_rejected',
    `The statement uses ${name}, which reaches beyond the database's own data. Leave it out.`,
  );
}

const [BEFORE = ''] = asQuery('', 1).split('\n');
const EXCERPT = /\n\nLINE \d+: [^\n]*\n *\^/g;
const FIRST_LINE = '\n\nLINE 1: ';

/** DuckDB's message about a wrapped statement as one about the statement itself, with its excerpt once. */
export function unwrapMessage(message: string): string {
  const [excerpt = ''] = message.match(EXCERPT) ?? [];
  return message.replace(EXCERPT, '').trimEnd() + unwrapExcerpt(excerpt);
}

/** The first line begins with the wrapping, and the mark below stands that much too far to the right. */
function unwrapExcerpt(excerpt: string): string {
  if (!excerpt.startsWith(FIRST_LINE + BEFORE)) return excerpt;
  const [line = '', mark = ''] = excerpt.slice(FIRST_LINE.length + BEFORE.length).split('\n');
  return `${FIRST_LINE}${line}\n${mark.slice(BEFORE.length)}`;
}

/** What is told of memory that ran out: DuckDB's own words advise settings that nobody can set here. */
export function memoryText(limit?: string): string {
  const allowed = limit === undefined ? 'there is' : `the ${limit} that \`database.memory_limit\` allows`;
  return `The query needs more memory than ${allowed}. Read or group less at a time.`;
}
