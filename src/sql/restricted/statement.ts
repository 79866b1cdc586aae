import { SvcError } from '../../errors.ts';
import { foldName } from '../../project/fold-name.ts';
import { lexSql, withPlainBlanks } from '../lexer.ts';
import { isGlobOperator } from '../query.ts';
import { ALLOWED_FUNCTIONS, GRAMMAR_WORDS } from './functions.ts';

/** The names that a restricted caller's statement may and must not use, in lower case. */
export interface StatementNames {
  /** The tables that the caller may see. */
  readonly visible: ReadonlySet<string>;
  /** Databases, and schemas of visible tables: a name qualified by one of them leads around the restricted tables. */
  readonly qualifiers: ReadonlySet<string>;
  /** DuckDB's own views, which list all tables. */
  readonly internal: ReadonlySet<string>;
}

/**
 * Throws `sql_rejected` unless each name of a statement leads to restricted tables only. Unqualified names do, because
 * the search path contains nothing else. This check refuses qualified names, functions outside of the list, and
 * DuckDB's own views. It works on tokens, because DuckDB-WASM cannot show its parse tree. In doubt it refuses.
 */
export function checkRestrictedStatement(sql: string, names: StatementNames): void {
  const tokens = tokensOf(sql);
  const statement = { tokens, onLists: endsOfOnLists(tokens) };
  tokens.forEach((token, at) => {
    checkInternal(token, names);
    if (token.kind === 'other') return;
    const around = { before: tokens[at - 1], next: tokens[at + 1] };
    if (around.next?.text === '.') checkQualifier(token, tokens[at + 2], names);
    if (around.next?.text === '(') checkCall(statement, at, names);
    if (token.kind === 'word') checkShow(token, around, names);
  });
}

/** Every name and text of a statement in lower case: the tables that it may read are among them. */
export function namesIn(sql: string): ReadonlySet<string> {
  return new Set(tokensOf(sql).map(({ value }) => value));
}

interface Statement {
  readonly tokens: readonly Token[];
  /** The ends of the brackets after ON, as in `DISTINCT ON (a)`. */
  readonly onLists: ReadonlySet<number>;
}

interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'other';
  readonly text: string;
  /** What it means, in lower case: without quotes. */
  readonly value: string;
}

function tokensOf(sql: string): readonly Token[] {
  const { tokens, problems } = lexSql(sql);
  const [problem] = problems;
  if (problem !== undefined) throw refused(`${problem.message}.`);
  return tokens
    .filter(({ kind }) => kind !== 'blank' && kind !== 'comment')
    .map(({ kind, start, end }) => toToken(kind, sql.slice(start, end)));
}

function toToken(kind: string, text: string): Token {
  if (kind === 'word') return { kind, text, value: foldName(text) };
  if (kind === 'quoted') return { kind, text, value: unquote(text, '"') };
  if (kind === 'string') return { kind, text, value: textOf(text) };
  return { kind: 'other', text, value: text };
}

function unquote(text: string, quote: string): string {
  return foldName(text.slice(1, -1).replaceAll(quote + quote, quote));
}

/** DuckDB reads a table of the name that a text has: `FROM 'sales'`. */
function textOf(text: string): string {
  if (text.startsWith("'")) return unquote(text, "'");
  if (text.startsWith('$')) {
    const tag = text.slice(0, text.indexOf('$', 1) + 1);
    return foldName(text.slice(tag.length, -tag.length));
  }
  if (/\\[^ntr\\']/.test(text)) {
    throw refused(
      'A text with escapes may contain only \\n, \\t, \\r, \\\\ and quotes: write other characters as they are.',
    );
  }
  return unquote(text.slice(1), "'");
}

const INTERNAL =
  /^(?:duckdb_\w+|pragma_\w+|sqlite_\w+|pg_(?!typeof$|size_pretty$)\w+|information_schema|__\w+)$/;

function checkInternal({ value }: Token, { internal, visible }: StatementNames): void {
  if (visible.has(value)) return;
  if (internal.has(value) || INTERNAL.test(value))
    throw refused(`It names ${shown(value)}, which lists more than your tables.`);
}

function checkQualifier({ value }: Token, after: Token | undefined, names: StatementNames): void {
  if (!names.qualifiers.has(value) && !names.qualifiers.has(withPlainBlanks(value))) return;
  const table = after?.value ?? '';
  if (value === 'main' && names.visible.has(table)) return;
  const full = `${value}.${table}`;
  throw refused(
    names.visible.has(full)
      ? `Write the table as one name in double quotes: "${full}".`
      : `It qualifies a name with ${shown(value)}: write the names of list_tables as they are, and give tables other aliases.`,
  );
}

function checkCall({ tokens, onLists }: Statement, at: number, names: StatementNames): void {
  const token = tokens[at];
  if (token === undefined) return;
  if (ALLOWED_FUNCTIONS.has(token.value)) return;
  if (token.kind === 'word' && GRAMMAR_WORDS.has(token.value)) return;
  const before = tokens[at - 1];
  if (isGlobOperator(token.text, before?.text)) return;
  const close = endOfNames(tokens, at + 1);
  if (isNamed(before) || (close > 0 && (isQuery(tokens, close) || isAlias({ tokens, onLists }, at, names))))
    return;
  throw refused(
    `It calls ${shown(token.value)}, which is not among the functions that run on restricted tables.${
      close > 0 ? ' If it is an alias, write AS before it.' : ''
    }`,
  );
}

/** Whether a name is an alias or a `WITH` table: `AS t(a, b)`, `WITH t(a, b) AS (…)`. */
function isNamed(before: Token | undefined): boolean {
  return before?.kind === 'word' && ['as', 'with', 'recursive'].includes(before.value);
}

/** The end of a parenthesis that contains only names, such as columns; 0 for others. */
function endOfNames(tokens: readonly Token[], open: number): number {
  let close = open + 1;
  while (isColumn(tokens[close])) close += 1;
  return tokens[close]?.text === ')' ? close : 0;
}

/**
 * Whether a parenthesis that ends at a place contains the columns of a further `WITH` table: `, t(a, b) AS (SELECT`. A query
 * must follow: `FROM histogram("data.main.t", c) AS (x VARCHAR)` calls a function and names its columns.
 */
function isQuery(tokens: readonly Token[], close: number): boolean {
  const after = tokens.slice(close + 1, close + 7).map(({ text }) => text.toLowerCase());
  return WITH_QUERY.test(after.join(' '));
}

/**
 * Whether a name is an alias without AS: `(VALUES (1)) t(a)`, `FROM range(3) t(a)`, `FROM sales t(a)`. After a closing bracket, a
 * function is called only by `DISTINCT ON (a) f(b)`.
 */
function isAlias({ tokens, onLists }: Statement, at: number, { visible }: StatementNames): boolean {
  const [source, table] = [tokens[at - 2]?.value ?? '', tokens[at - 1]];
  if (table === undefined) return false;
  if (table.text === ')') return !onLists.has(at - 1);
  // `FROM lateral f(a)` calls a function, also if a table has this name.
  if (!visible.has(table.value) || (table.kind === 'word' && GRAMMAR_WORDS.has(table.value))) return false;
  return ['from', 'join', ','].includes(source);
}

/** A bracket that nothing opens counts as well: in doubt, a name after it is that of a function. */
function endsOfOnLists(tokens: readonly Token[]): ReadonlySet<number> {
  const ends = new Set<number>();
  const open: boolean[] = [];
  tokens.forEach(({ text }, at) => {
    if (text === '(') open.push(tokens[at - 1]?.value === 'on');
    if (text === ')' && (open.pop() ?? true)) ends.add(at);
  });
  return ends;
}

function isColumn(token: Token | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted' || token?.text === ',';
}

/** DuckDB reserves these words, except `values`: none of them is the name of a column. */
const WITH_QUERY = /^as ((not )?materialized )?\( (\(|(select|from|with|table)( |$)|values \()/;

/** `SHOW` and a bare `DESCRIBE` list all tables, those of other schemas too. */
function checkShow(
  { value }: Token,
  { before, next }: { readonly before: Token | undefined; readonly next: Token | undefined },
  { visible }: StatementNames,
): void {
  if (before?.text === '.') return;
  const begins = before === undefined || before.text === '(';
  if (value === 'show' && (begins || next?.kind !== 'other'))
    throw refused('It uses SHOW: call list_tables.');
  const describes = value === 'describe' || value === 'summarize' || (value === 'desc' && begins);
  const shows = next !== undefined && SHOWN.includes(next.value);
  const fits = next !== undefined && (visible.has(next.value) || QUERY_BEGINS.includes(next.value));
  if (!describes || (fits && !shows)) return;
  if (shows || next === undefined || next.text === ')' || begins) {
    throw refused(`${value.toUpperCase()} takes one of your tables or a query here: call list_tables.`);
  }
}

/** `DESCRIBE tables FROM data` is `SHOW TABLES FROM data`, also if the caller has a table of this name. */
const SHOWN = ['tables', 'databases', 'schemas', 'variables'];

const QUERY_BEGINS = ['select', 'from', 'with', 'values', 'table', '('];

function shown(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}

function refused(reason: string): SvcError {
  return new SvcError('sql_rejected', `The statement was refused. ${reason}`);
}
