import { SvcError } from '../errors.ts';
import { lexSql } from './lexer.ts';

/** As a derived table a statement can only be one that reads; the line break ends a trailing comment. */
export function asQuery(sql: string, limit: number): string {
  const name = LOGGING.exec(sql)?.[0] ?? dynamicSql(sql);
  if (name === undefined) return `SELECT * FROM (${sql}\n) LIMIT ${limit}`;
  throw new SvcError(
    'sql_rejected',
    `The statement uses ${name}, which reaches beyond the database's own data. Leave it out.`,
  );
}

/**
 * DuckDB's log shows every caller's SQL and can be turned towards stdout, by functions that a locked configuration
 * leaves open to any query.
 */
const LOGGING = /\b(?:(?:en|dis)able_logging|truncate_duckdb_logs|duckdb_log\w*|write_log)\b/i;

/** These run SQL that is put together from text, where nobody could see what it uses. */
const DYNAMIC = /^"?(query|query_table|json_execute_serialized_sql)"?$/i;

function dynamicSql(sql: string): string | undefined {
  const words = lexSql(sql)
    .tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment')
    .map(({ start, end }) => sql.slice(start, end));
  // `WITH query(a) AS` only names a table.
  const called = (word: string, at: number): boolean =>
    DYNAMIC.test(word) && words[at + 1]?.[0] === '(' && !/^(with|recursive)$/i.test(words[at - 1] ?? '');
  return words.find(called);
}
