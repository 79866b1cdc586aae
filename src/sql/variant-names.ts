import { SvcError } from '../errors.ts';
import { type JsonObject, type JsonValue, tryJson } from '../json.ts';
import { foldName } from '../project/fold-name.ts';
import { type WrittenToken, writtenTokens } from './lexer.ts';
import { quoteName } from './quote.ts';
import { isVariantType, STRUCTURED, usesVariant, VARIANT_FUNCTIONS, VARIANT_TYPE } from './variant.ts';

/**
 * The things of a database that have or make a VARIANT, by their folded names. DuckDB casts a list to the type of a VARIANT
 * column by itself.
 */
export interface VariantNames {
  /** Tables, views and types. Any token may name one, also a text. */
  readonly things: ReadonlySet<string>;
  /** Macros. Only a call names one. */
  readonly macros: ReadonlySet<string>;
}

/** Runs an internal query. */
type Ask = (sql: string) => Promise<readonly JsonObject[]>;

/**
 * The tables with a VARIANT, and everything that may have or make one. DuckDB lists the columns that a view had when it was
 * planned last, and no parts of a type, so it is asked about both later. The types of a macro's parameters follow its text
 * as casts.
 */
const CANDIDATES = `WITH candidates AS (
  SELECT DISTINCT 'table' AS kind, database_name, internal, schema_name, table_name AS name, NULL AS definition
    FROM duckdb_columns() WHERE regexp_matches(data_type, '${VARIANT_TYPE}')
  UNION ALL SELECT 'type', database_name, internal, schema_name, type_name, NULL
    FROM duckdb_types() WHERE logical_type IN ('VARIANT', 'LIST', 'ARRAY', 'STRUCT', 'MAP', 'UNION')
  UNION ALL SELECT 'view', database_name, internal, schema_name, view_name, sql FROM duckdb_views()
  UNION ALL SELECT 'macro', database_name, internal, schema_name, function_name,
      concat_ws('::', macro_definition, array_to_string(parameter_types, '::'))
    FROM duckdb_functions() WHERE macro_definition IS NOT NULL
)
SELECT kind, schema_name, name, definition FROM candidates WHERE database_name = current_database() AND NOT internal`;

/** The names that a caller's statement must not have. A macro that uses one of the others is one of them, at any depth. */
export async function findVariantNames(ask: Ask): Promise<VariantNames> {
  const candidates = (await ask(CANDIDATES)).map(toCandidate);
  const found = { things: new Set<string>(), macros: new Set<string>() };
  const rest = new Set(candidates);
  let suspects = candidates.filter(({ texts }) => texts === null || texts.some(makesVariant));
  while (suspects.length > 0) {
    for (const suspect of suspects) {
      rest.delete(suspect);
      if (!(await hasVariant(suspect, ask))) continue;
      const { kind, schema, name } = suspect;
      if (kind === 'macro') found.macros.add(name);
      else found.things.add(name).add(`${schema}.${name}`);
    }
    suspects = [...rest].filter(({ texts }) => texts?.some((text) => nameIn(text, found) !== undefined));
  }
  return found;
}

/**
 * The same for the temporary tables of a restricted caller, who may name nothing else. DuckDB plans a query of each: its list
 * of columns would first collect those of the whole database.
 */
export async function findVisibleVariantNames(tables: Iterable<string>, ask: Ask): Promise<VariantNames> {
  const things = new Set<string>();
  for (const table of tables)
    if (await hasVariantColumn(`FROM temp.main.${quoteName(table)}`, ask)) things.add(foldName(table));
  return { things, macros: new Set() };
}

/** Throws sql_rejected if a restricted caller's statement names a table with a VARIANT, after its preparations have run. */
export async function refuseVisibleVariants(
  sql: string,
  preparations: readonly { readonly table: string | null }[],
  ask: Ask,
): Promise<void> {
  const tables = new Set(preparations.flatMap(({ table }) => table ?? []));
  refuseVariantNames(sql, await findVisibleVariantNames(tables, ask));
}

/** Throws sql_rejected if a caller's statement has one of the names. */
export function refuseVariantNames(sql: string, names: VariantNames): void {
  const token = nameIn(sql, names);
  if (token === undefined) return;
  const message = `The statement was refused. It names ${token}, which may have values of the type VARIANT. With them, DuckDB may show parts of its memory: name a view that casts them to JSON.`;
  throw new SvcError('sql_rejected', message);
}

interface Candidate {
  readonly kind: string;
  readonly schema: string;
  readonly name: string;
  /** A query with its columns, or with a value of the type; null if nothing has to be asked. */
  readonly query: string | null;
  /** Its definition, and casts to the types that the definition takes from texts; null if it has none. */
  readonly texts: readonly string[] | null;
}

function toCandidate({ kind, schema_name, name, definition }: JsonObject): Candidate {
  const qualified = [schema_name, name].map((part) => quoteName(String(part))).join('.');
  const queries: { readonly [kind: string]: string } = {
    view: `FROM ${qualified}`,
    type: `SELECT NULL::${qualified}`,
  };
  return {
    kind: String(kind),
    schema: foldName(String(schema_name)),
    name: foldName(String(name)),
    query: queries[String(kind)] ?? null,
    texts: typeof definition === 'string' ? [definition, ...castsIn(definition)] : null,
  };
}

/** Whether a suspect has a VARIANT. A view may use one and have none. */
async function hasVariant({ query }: Candidate, ask: Ask): Promise<boolean> {
  return query === null || hasVariantColumn(query, ask);
}

/** Whether a query has a column with a VARIANT. One that DuckDB cannot plan counts as one that has. */
async function hasVariantColumn(query: string, ask: Ask): Promise<boolean> {
  try {
    const rows = await ask(`SELECT column_type AS type FROM (DESCRIBE ${query})`);
    return rows.some(({ type }) => isVariantType(String(type)));
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.code === 'sql_failed') return true;
    throw thrown;
  }
}

const VARIANT_FUNCTION = new RegExp(`^"?${VARIANT_FUNCTIONS}"?$`, 'i');

function makesVariant(sql: string): boolean {
  return usesVariant(sql) || (/variant_/i.test(sql) && writtenTokens(sql).some(isCallOf(VARIANT_FUNCTION)));
}

/** The types in the structures of a definition as casts; a cast to VARIANT for a structure that is not one text of JSON. */
function castsIn(sql: string): readonly string[] {
  if (!/from_json|json_transform/i.test(sql)) return [];
  return writtenTokens(sql).flatMap((token, at, tokens) => {
    if (!isCallOf(STRUCTURED)(token, at, tokens)) return [];
    const end = closingOf(tokens, at + 1);
    const [before, structure] = tokens.slice(end - 2, end);
    const isOneText = structure?.kind === 'string' && /^[(,]$/.test(before?.text ?? '');
    const types = isOneText ? tryJson(unquoted(structure.text)) : undefined;
    return types === undefined ? ['NULL::VARIANT'] : textsOf(types).map((type) => `NULL::${type}`);
  });
}

const isCallOf =
  (pattern: RegExp) =>
  ({ text }: WrittenToken, at: number, tokens: readonly WrittenToken[]): boolean =>
    pattern.test(text) && tokens[at + 1]?.text === '(';

/** The place of the parenthesis that closes another. */
function closingOf(tokens: readonly WrittenToken[], opening: number): number {
  let depth = 0;
  return tokens.findIndex(({ text }, at) => {
    if (at >= opening && text === '(') depth += 1;
    if (at >= opening && text === ')') depth -= 1;
    return at > opening && depth === 0;
  });
}

function textsOf(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** The first token of SQL that names a thing or calls a macro. */
function nameIn(sql: string, { things, macros }: VariantNames): string | undefined {
  if (things.size + macros.size === 0) return undefined;
  return writtenTokens(sql).find(({ kind, text }, at, tokens) => {
    if (kind !== 'word' && kind !== 'quoted' && kind !== 'string') return false;
    const name = foldName(kind === 'word' ? text : unquoted(text));
    if (things.has(name) || (kind === 'string' && things.size > 0 && ESCAPED.test(text))) return true;
    return kind !== 'string' && macros.has(name) && tokens[at + 1]?.text === '(';
  })?.text;
}

/** A text with escapes may be any name. */
const ESCAPED = /^e'[\s\S]*\\/i;

function unquoted(token: string): string {
  const quote = token.at(-1) ?? '';
  return token.slice(token.indexOf(quote) + 1, -1).replaceAll(quote + quote, quote);
}
