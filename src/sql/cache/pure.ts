import { lexSql } from '../lexer.ts';
import { classify, statementsOf } from '../statement.ts';
import { BEFORE_BRACKETS, PURE_FUNCTIONS } from './functions.ts';

/** The views and macros of a database, by their names in lower case; several of one name are in several schemas. */
export interface Definitions {
  /** The statements that made the views. A table with columns that a query computes has an empty text. */
  readonly views: ReadonlyMap<string, readonly string[]>;
  readonly macros: ReadonlySet<string>;
  /** Whether a macro has the name of a function of DuckDB. Operators and other syntax may call it without its name. */
  readonly overridden: boolean;
}

/** Words that read the clock, the caller or chance without brackets, or name what DuckDB says of itself. */
const IMPURE =
  /^(?:current_.*|local(?:time|timestamp)|(?:session_)?user|(?:table)?sample|duckdb_.*|pragma_.*|sqlite_.*|pg_.*|information_schema|sniff_.*|read_.*|glob)$/;
/** The names with which text becomes the time or the day of the conversion, and strings with escapes, which may hide one. */
const SPECIAL_TEXT = /\be'|'\s*(?:now|today|tomorrow|yesterday)\s*'/i;

/**
 * Whether the rows of a query depend on nothing but its parameters and on data. Every function and every view that the
 * query uses must be known to be so. In doubt the answer is no.
 *
 * @example isPure('SELECT upper(name) FROM items WHERE id = $1', definitions) // true
 * @example isPure('SELECT now()', definitions) // false
 */
export function isPure(sql: string, definitions: Definitions): boolean {
  return !definitions.overridden && isPureQuery(sql, definitions, new Set());
}

function isPureQuery(sql: string, definitions: Definitions, seen: Set<string>): boolean {
  const { views, macros } = definitions;
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
    return views.get(name)?.every((view) => isPureQuery(toQuery(view), definitions, seen)) ?? false;
  });
}

/** The query of `CREATE VIEW name (columns) AS query;`. */
function toQuery(view: string): string {
  const as = lexSql(view).tokens.find(
    ({ kind, start, end }) => kind === 'word' && /^as$/i.test(view.slice(start, end)),
  );
  return as === undefined ? '' : view.slice(as.end);
}

/** A word, a quoted name or a string in lower case, and whether a bracket follows it. `FROM 'items'` names a table. */
interface Word {
  readonly name: string;
  readonly bracket: boolean;
}

function wordsOf(sql: string): readonly Word[] {
  const tokens = lexSql(sql).tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
  return tokens.flatMap(({ kind, start, end }, at) => {
    if (kind !== 'word' && kind !== 'quoted' && kind !== 'string') return [];
    const name = nameOf(kind, sql.slice(start, end));
    const next = tokens[at + 1];
    return [{ name: name.toLowerCase(), bracket: next !== undefined && sql[next.start] === '(' }];
  });
}

function nameOf(kind: 'word' | 'quoted' | 'string', text: string): string {
  if (kind === 'word') return text;
  if (kind === 'quoted') return text.slice(1, -1).replaceAll('""', '"');
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  const tag = text.indexOf('$', 1) + 1;
  return text.slice(tag, -tag);
}
