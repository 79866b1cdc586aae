import { lexSql } from '../lexer.ts';
import { classify, statementsOf } from '../statement.ts';
import { BEFORE_BRACKETS, PURE_FUNCTIONS } from './functions.ts';

/** The views and macros of a database, by their names in lower case; several of one name are in several schemas. */
export interface Definitions {
  readonly views: ReadonlyMap<string, readonly string[]>;
  readonly macros: ReadonlySet<string>;
}

/** Words that read the clock, the caller or chance without brackets, or name what DuckDB says of itself. */
const IMPURE =
  /^(?:current_.*|local(?:time|timestamp)|(?:session_)?user|(?:table)?sample|duckdb_.*|pragma_.*|sqlite_.*|pg_.*|information_schema|sniff_.*|read_.*|glob)$/;
/** The names with which text becomes the time or the day of the conversion. */
const SPECIAL_TEXT = /'\s*(?:now|today|tomorrow|yesterday)\s*'/i;

/**
 * Whether the rows of a query depend on nothing but its parameters and on data. Every function and every view that the
 * query uses must be known to be so. In doubt the answer is no.
 *
 * @example isPure('SELECT upper(name) FROM items WHERE id = $1', definitions) // true
 * @example isPure('SELECT now()', definitions) // false
 */
export function isPure(sql: string, definitions: Definitions): boolean {
  return isPureQuery(sql, definitions, new Set());
}

function isPureQuery(sql: string, { views, macros }: Definitions, seen: Set<string>): boolean {
  const { mode, operation } = classify(sql);
  if (
    statementsOf(sql).length !== 1 ||
    mode !== 'read' ||
    !(operation === 'SELECT' || operation === 'VALUES')
  )
    return false;
  if (SPECIAL_TEXT.test(sql)) return false;
  const words = wordsOf(sql);
  if (words.some(({ name }) => IMPURE.test(name) || macros.has(name))) return false;
  const called = words.filter(({ bracket }) => bracket);
  if (!called.every(({ name }) => PURE_FUNCTIONS.has(name) || BEFORE_BRACKETS.has(name))) return false;
  const used = words.map(({ name }) => name).filter((name) => views.has(name) && !seen.has(name));
  return used.every((name) => {
    seen.add(name);
    return views.get(name)?.every((view) => isPureQuery(toQuery(view), { views, macros }, seen)) ?? false;
  });
}

/** The query of `CREATE VIEW name (columns) AS query;`. */
function toQuery(view: string): string {
  const as = /\bAS\b\s*/i.exec(view);
  return as === null ? '' : view.slice(as.index + as[0].length);
}

/** A word or a quoted name in lower case, and whether a bracket follows it. */
interface Word {
  readonly name: string;
  readonly bracket: boolean;
}

function wordsOf(sql: string): readonly Word[] {
  const tokens = lexSql(sql).tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
  return tokens.flatMap(({ kind, start, end }, at) => {
    if (kind !== 'word' && kind !== 'quoted') return [];
    const text = sql.slice(start, end);
    const name = kind === 'quoted' ? text.slice(1, -1).replaceAll('""', '"') : text;
    const next = tokens[at + 1];
    return [{ name: name.toLowerCase(), bracket: next !== undefined && sql[next.start] === '(' }];
  });
}
