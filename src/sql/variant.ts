import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { foldName } from '../project/fold-name.ts';
import { lexSql } from './lexer.ts';

/**
 * Why callers' statements may not use the type VARIANT. DuckDB 1.5 leaves the memory behind each NULL of a list, an array
 * or a map as it was when it makes a VARIANT of it: up to 16 bytes, which may be another caller's data. Texts and JSON of
 * the value leave them out, but comparisons, `hash` and `create_sort_key` read them.
 */
export const VARIANT_REFUSED =
  'It uses the type VARIANT, with which DuckDB may show parts of its memory: use JSON';

/** Whether a statement may use the type VARIANT: a column, a table or a field of this name is none. In doubt it does. */
export function usesVariant(sql: string): boolean {
  if (!/variant/i.test(sql)) return false;
  const tokens = lexSql(sql)
    .tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment')
    .map(({ kind, start, end }) => ({ kind, text: sql.slice(start, end).toLowerCase() }));
  const texts = tokens.map(({ text }) => text);
  const openers: number[] = [];
  return tokens.some(({ text }, at) => {
    if (text === '(' || text === '[' || text === '{') openers.push(at);
    if (text === ')' || text === ']' || text === '}') openers.pop();
    if (text !== 'variant' && text !== '"variant"') return false;
    if (tokens[at + 1]?.kind === 'string') return true;
    return isTypePlace(texts, beginOfName(texts, at), openers.at(-1) ?? -1);
  });
}

/** The place of the first word of a type such as `main.variant`. `SETOF` before it has no meaning. */
function beginOfName(texts: readonly string[], at: number): number {
  if (texts[at - 1] === '.') return beginOfName(texts, at - 2);
  return texts[at - 1] === 'setof' ? at - 1 : at;
}

/** Whether a type may begin at a place, by the tokens before it and before the bracket around it. */
function isTypePlace(texts: readonly string[], at: number, opener: number): boolean {
  const before = texts[at - 1] ?? '';
  if (before === ':' && texts[at - 2] === ':') return true;
  const around = texts[opener] === '(' ? (texts[opener - 1] ?? '') : '';
  if (around === 'cast' || around === 'try_cast') return before === 'as';
  if (around === 'map') return before === '(' || before === ',';
  // `UNION (SELECT …)` is no type.
  if (around === 'union') return isName(before) && !QUERY.test(texts[opener + 1] ?? '');
  return (around === 'struct' || around === 'row') && isName(before);
}

/** Whether a token may be the name of a field, before its type. */
function isName(text: string): boolean {
  return /^[a-z_"\u0080-\uffff]/.test(text);
}

const QUERY = /^(?:select|from|with|values|table|\()$/;

const HAS_VARIANT = "regexp_matches(data_type, '(^|[ (])VARIANT([,)[]|$)')";

/** The tables, macros and types of a database that have or make a VARIANT. DuckDB casts a list to the type of such a column by itself. */
export const WITH_VARIANT = `SELECT DISTINCT unnest([table_name, schema_name || '.' || table_name]) AS name FROM duckdb_columns()
  WHERE NOT internal AND ${HAS_VARIANT}
UNION SELECT function_name FROM duckdb_functions() WHERE NOT internal AND macro_definition ILIKE '%variant%'
UNION SELECT type_name FROM duckdb_types() WHERE NOT internal AND logical_type = 'VARIANT'`;

/** The same for a restricted caller's statement, which must not tell of anything but its temporary tables. */
export const VISIBLE_WITH_VARIANT = `SELECT DISTINCT table_name AS name FROM duckdb_columns()
  WHERE database_name = 'temp' AND ${HAS_VARIANT}`;

/** Throws sql_rejected if a caller's statement has one of the names in the rows of these queries. */
export function refuseVariantNames(sql: string, rows: readonly JsonObject[]): void {
  if (rows.length === 0) return;
  const names = new Set(rows.map(({ name }) => foldName(String(name))));
  for (const { kind, start, end } of lexSql(sql).tokens) {
    const token = sql.slice(start, end);
    const name = foldName(kind === 'word' ? token : unquoted(token));
    if (!names.has(name) && (kind !== 'string' || !ESCAPED.test(token))) continue;
    const message = `The statement was refused. It names ${token}, which may have values of the type VARIANT. With them, DuckDB may show parts of its memory: name a view that casts them to JSON.`;
    throw new SvcError('sql_rejected', message);
  }
}

/** A text with escapes may be any name. */
const ESCAPED = /^e'[\s\S]*\\/i;

function unquoted(token: string): string {
  const quote = token.at(-1) ?? '';
  return token.slice(token.indexOf(quote) + 1, -1).replaceAll(quote + quote, quote);
}
