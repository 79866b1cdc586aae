import type { DuckDBConnection } from '@duckdb/node-api';
import { enforceReadOnly } from '../../../src/call/caller-statement.ts';
import { SvcError } from '../../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../src/json.ts';
import type { RestrictedTable } from '../../../src/ports.ts';
import { foldName } from '../../../src/project/fold-name.ts';
import { asQuery, NAMING, rejection, SEVERAL_TEXT } from '../../../src/sql/query.ts';
import { quoteName, quoteText } from '../../../src/sql/quote.ts';
import { ALLOWED_FUNCTIONS } from '../../../src/sql/restricted/functions.ts';
import { isVariantType, STRUCTURED, VARIANT_REFUSED } from '../../../src/sql/variant.ts';
import { isCallerFunction } from './caller-macros.ts';
import { isFileReader } from './restrictions.ts';
import { parseSerialized } from './serialized.ts';

/** The functions of DuckDB itself, in lower case. Most reach nothing outside the database. */
export type BuiltIns = ReadonlySet<string>;

/** Reads the names of DuckDB's functions. Must run before extensions are loaded. */
export async function readBuiltIns(connection: DuckDBConnection): Promise<BuiltIns> {
  const known = await connection.runAndReadAll(
    'SELECT DISTINCT lower(function_name) FROM duckdb_functions()',
  );
  return new Set(known.getRows().map(([name]) => String(name)));
}

/**
 * Restricts a caller's query to the database's own tables if the project's SQL may reach files or the network. DuckDB's
 * parser lists the tables and functions that the query names. The author's views and macros may reach further. Throws
 * `sql_rejected`.
 */
export async function confine(
  connection: DuckDBConnection,
  sql: string,
  { builtIns, attached }: Reach,
): Promise<void> {
  const tree = await parse(connection, sql);
  enforceNames(tree);
  const around = await readSurroundings(connection);
  const open = new Set(attached.open.map(foldName));
  const others = [...around.attached, ...attached.hidden].map(foldName);
  const foreign = new Set(others.filter((name) => !open.has(name)));
  const hides = attached.hidden.length > 0 || [...foreign].some((name) => !LAKE_CATALOGUE.test(name));
  const allowed = { ...around, builtIns, attached: foreign, catalogues: !hides };
  for (const node of nodesOf(tree)) check(node, allowed);
  await refuseStructures(connection, tree);
}

/** The things that a caller's statement may reach. */
export interface Reach {
  readonly builtIns: BuiltIns;
  readonly attached: AttachedNames;
}

/** The databases under `database.attach`, as a caller's statement may see them. */
export interface AttachedNames {
  readonly open: readonly string[];
  readonly hidden: readonly string[];
}

interface Allowed {
  readonly builtIns: BuiltIns;
  /** The macros of the project's database. */
  readonly macros: ReadonlySet<string>;
  /** The other attached databases. */
  readonly attached: ReadonlySet<string>;
  /** Whether lists of all tables may be read: they include those of attached databases. */
  readonly catalogues: boolean;
}

/**
 * Checks the names of functions and tables in a caller's query as DuckDB's parser finds them. `enforceReadOnly` and
 * `asQuery` did the same from the text; this is a second check. Throws `sql_rejected`.
 */
export async function confineNames(connection: DuckDBConnection, query: string): Promise<void> {
  const tree = await read(connection, query);
  // DuckDB itself refuses a text that it cannot parse, and a PIVOT that stands for several statements.
  if (tree.error_type === 'parser' || tree.error_message === ONLY_SELECT) return;
  enforceNames(parsed(tree, query));
  await refuseStructures(connection, tree);
}

const ONLY_SELECT = 'Only SELECT statements can be serialized to json!';

/** Gives the names of a parse tree to the checks of texts, and refuses the type VARIANT. */
function enforceNames(tree: JsonObject): void {
  const nodes = nodesOf(tree);
  nodes.forEach(refuseVariant);
  const names = nodes.flatMap(({ catalog, schema, function_name, export_state, table_name }) => [
    ...(typeof function_name === 'string' ? [`${dotted([catalog, schema, function_name])}()`] : []),
    ...(export_state === true ? ['count() EXPORT_STATE'] : []),
    ...(typeof table_name === 'string' ? [quoteName(table_name)] : []),
  ]);
  asQuery(enforceReadOnly(`SELECT ${['1', ...new Set(names)].join(', ')}`).sql, 1);
}

function refuseVariant({ id, type, name }: JsonObject): void {
  const isUnbound = type === 'UNBOUND_TYPE_INFO' && /^variant$/i.test(textOf(name));
  if (id === 'VARIANT' || isUnbound) throw refused(`${VARIANT_REFUSED}.`);
}

/** The structure that a node takes a type from. Casts and functions could make another text of it. */
function structureOf({ function_name, children }: JsonObject): readonly string[] {
  const called = textOf(function_name);
  if (!STRUCTURED.test(called)) return [];
  const last = Array.isArray(children) ? children.at(-1) : undefined;
  const constant = isObject(last) && last.class === 'CONSTANT' && isObject(last.value) ? last.value : {};
  if (constant.is_null === true) return [];
  if (typeof constant.value === 'string') return [constant.value];
  throw refused(`Write the structure of ${called} as one text, so that its types can be checked.`);
}

/**
 * Refuses structures with a VARIANT, also in a type of the database. DuckDB itself reads them, and says if one is wrong. That
 * may tell of the types that there are, so other checks come first.
 */
async function refuseStructures(connection: DuckDBConnection, tree: JsonObject): Promise<void> {
  const structures = new Set(nodesOf(tree).flatMap(structureOf));
  if (structures.size === 0) return;
  const types = [...structures].map((text) => `typeof(system.main.from_json('null', ${quoteText(text)}))`);
  const result = await connection.runAndReadAll(`SELECT unnest([${types.join(', ')}])`);
  if (result.getRows().some(([type]) => isVariantType(String(type)))) throw refused(`${VARIANT_REFUSED}.`);
}

function refused(reason: string): SvcError {
  return new SvcError('sql_rejected', `The statement was refused. ${reason}`);
}

/** The parts of a name that there are, with points between them. */
function dotted(parts: readonly (JsonValue | undefined)[]): string {
  return parts
    .map(textOf)
    .filter((part) => part !== '')
    .map(quoteName)
    .join('.');
}

async function parse(connection: DuckDBConnection, sql: string): Promise<JsonObject> {
  return parsed(await read(connection, sql), sql);
}

const PARSED =
  'SELECT json_serialize_sql($1::VARCHAR, skip_default := true, skip_empty := true, skip_null := true)';

/** DuckDB's parse tree of a query, or its reason why there is none. */
async function read(connection: DuckDBConnection, sql: string): Promise<JsonObject> {
  const result = await connection.runAndReadAll(PARSED, [sql]);
  const tree = parseSerialized(String(result.getRows()[0]?.[0]));
  return isObject(tree) ? tree : {};
}

function parsed(tree: JsonObject, sql: string): JsonObject {
  if (tree.error === false) return tree;
  if (tree.error_message === ONLY_SELECT && /pivot/i.test(sql))
    throw new SvcError('sql_rejected', SEVERAL_TEXT);
  throw new SvcError('sql_rejected', `The statement was refused: ${tree.error_message}`);
}

const SURROUNDINGS = `SELECT 'macro' AS kind, lower(function_name) AS name FROM duckdb_functions()
  WHERE function_type IN ('macro', 'table_macro') AND database_name = current_database()
UNION ALL SELECT 'database', database_name FROM duckdb_databases()
  WHERE NOT internal AND database_name <> current_database()`;

async function readSurroundings(connection: DuckDBConnection): Promise<Pick<Allowed, 'macros' | 'attached'>> {
  const rows = (await connection.runAndReadAll(SURROUNDINGS)).getRows();
  const named = (kind: string) =>
    new Set(rows.filter(([one]) => one === kind).map(([, name]) => String(name)));
  return { macros: named('macro'), attached: named('database') };
}

/** Every object of a parse tree. Nested generators would take the depth of the tree for each one. */
function nodesOf(tree: JsonValue): readonly JsonObject[] {
  const nodes: JsonObject[] = [];
  const visit = (value: JsonValue): void => {
    if (isObject(value)) nodes.push(value);
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) visit(part);
  };
  visit(tree);
  return nodes;
}

function check(node: JsonObject, allowed: Allowed): void {
  checkDatabase(node, allowed);
  if (node.type === 'BASE_TABLE') checkTable(node, allowed);
  else if (node.type === 'SHOW_REF') checkShown(textOf(node.table_name), allowed);
  else if (typeof node.function_name === 'string') checkFunction(node.function_name, node, allowed);
}

/**
 * Refuses a name in another attached database: of a table, a function or a type. The name of a database stands at the place
 * of a schema if it is the only part before a dot.
 */
function checkDatabase(
  { catalog, catalog_name, schema, schema_name }: JsonObject,
  { attached }: Allowed,
): void {
  const around = [catalog, catalog_name, schema, schema_name].map(textOf);
  const foreign = around.find((name) => attached.has(foldName(name)) || LAKE_CATALOGUE.test(name));
  if (foreign !== undefined) throw rejection(foreign);
}

/** A name with one of these characters may be a file or an address, which DuckDB reads if there is no such table. */
const LOCATION = /[./\\:*?]/;

/** DuckDB's own tables and functions that list the tables of every attached database. */
const CATALOGUE =
  /^"?(?:duckdb_\w+|pragma_\w+|sqlite_(?:temp_)?(?:master|schema)|pg_(?!(?:typeof|size_pretty)"?$)\w+|show_\w+)"?$/i;
const CATALOGUE_SCHEMA = /^(?:information_schema|pg_catalog)$/i;
/** The databases in which DuckLakes keep the tables of their catalogues. */
const LAKE_CATALOGUE = /^__ducklake_metadata_/i;

function checkTable(node: JsonObject, { catalogues }: Allowed): void {
  const [table, ...around] = [node.table_name, node.schema_name, node.catalog_name].map(textOf);
  if (table !== undefined && LOCATION.test(table)) throw rejection(table);
  const listed =
    around.find((name) => CATALOGUE_SCHEMA.test(name)) ?? (CATALOGUE.test(table ?? '') ? table : undefined);
  if (!catalogues && listed !== undefined) throw rejection(listed);
}

/**
 * Refuses names that lead around restricted tables. `checkRestrictedStatement` did the same from the text; this is a second
 * check, from DuckDB's own reading of it.
 */
export async function confineToTables(
  connection: DuckDBConnection,
  sql: string,
  tables: readonly RestrictedTable[],
): Promise<void> {
  const visible = new Set(tables.map(({ name }) => foldName(name)));
  const tree = await parse(connection, sql);
  enforceNames(tree);
  for (const node of nodesOf(tree)) checkRestricted(node, visible);
}

function checkRestricted(node: JsonObject, visible: ReadonlySet<string>): void {
  const table = textOf(node.table_name);
  const called = textOf(node.function_name);
  // A function has the column of a call such as `name.upper()` for its schema.
  if (called === '') checkPlace(node);
  if (node.type === 'BASE_TABLE') {
    const known = visible.has(foldName(table));
    if (!known && (CATALOGUE.test(table) || LOCATION.test(table))) throw rejection(table);
  }
  if (node.type === 'SHOW_REF' && table !== '') throw rejection(table);
  if (!/\w/.test(called) || isWindow(node)) return;
  if (!ALLOWED_FUNCTIONS.has(called.toLowerCase())) throw rejection(called);
}

/** Refuses a table or a type of another schema or database. */
function checkPlace({ catalog, catalog_name, schema, schema_name, name, table_name }: JsonObject): void {
  const [database, around, own] = [catalog_name ?? catalog, schema_name ?? schema, table_name ?? name].map(
    textOf,
  );
  if (database !== '' || !/^(?:main)?$/i.test(around ?? ''))
    throw rejection([around || database, own].filter((part) => part !== '').join('.'));
}

function checkShown(name: string, { catalogues }: Allowed): void {
  if (!catalogues && /expanded/.test(name)) throw rejection('SHOW ALL TABLES');
  if (name !== '' && !/^"?(tables|__show_tables_expanded)"?$/.test(name)) throw rejection(name);
}

const NAMED_BY_TEXT = new RegExp(`^(?:${NAMING})$`);
/** Functions that look up a type, a sequence or a database by the name in a text. It may be a hidden one. */
const RESOLVING =
  /^(?:(?:from_json|json_transform)(?:_strict)?|make_type|currval|get_block_size|format_type)$/;

function checkFunction(name: string, node: JsonObject, { builtIns, macros, catalogues }: Allowed): void {
  const known = name.toLowerCase();
  if (!catalogues && (CATALOGUE.test(known) || RESOLVING.test(known))) throw rejection(name);
  const operator = !/\w/.test(known);
  if (operator || isWindow(node) || macros.has(known) || isCallerFunction(known)) return;
  const reaches = isFileReader(known) || NAMED_BY_TEXT.test(known) || /_scan(?:_dumb)?$/.test(known);
  if (reaches || !(builtIns.has(known) || ALLOWED_FUNCTIONS.has(known))) throw rejection(name);
}

function isWindow(node: JsonObject): boolean {
  return node.class === 'WINDOW' && node.type !== 'WINDOW_AGGREGATE';
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
