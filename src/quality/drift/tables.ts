import { SvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Database, SqlRequest } from '../../ports.ts';

/** A column as statements see it. */
export type ColumnShape = {
  readonly name: string;
  /** The type in DuckDB's notation. */
  readonly type: string;
  readonly nullable: boolean;
  readonly comment?: string;
};

/** A table, or a view with its statement. */
export type TableShape = {
  readonly kind: 'table' | 'view';
  readonly comment?: string;
  /** The statement of a view, as DuckDB prints it. */
  readonly sql?: string;
  readonly columns: readonly ColumnShape[];
};

/** The tables and views of a database by name. Outside of the schema main, the name is `schema.name`. */
export type Tables = { readonly [name: string]: TableShape };

/** The macros of a database: the body of each signature, such as `net(price)` or `net(price INTEGER)`. */
export type Macros = { readonly [signature: string]: string };

const OWN = 'database_name = current_database() AND NOT internal';
const NAME = "CASE schema_name WHEN 'main' THEN '' ELSE schema_name || '.' END";

const RELATIONS = `SELECT ${NAME} || table_name AS name, 'table' AS kind, NULL AS sql, comment FROM duckdb_tables() WHERE ${OWN} AND NOT temporary
UNION ALL SELECT ${NAME} || view_name, 'view', sql, comment FROM duckdb_views() WHERE ${OWN} AND NOT temporary`;
const COLUMNS = `SELECT ${NAME} || table_name AS relation, column_name AS name, data_type AS type, is_nullable AS nullable, comment
FROM duckdb_columns() WHERE ${OWN} ORDER BY schema_name, table_name, column_index`;

const PARAMETERS = "array_to_string([concat_ws(' ', p, parameter_types[i]) FOR p, i IN parameters], ', ')";
// A scalar macro and a table macro may have one name.
const MACROS = `SELECT ${NAME} || function_name || '(' || ${PARAMETERS} || ')' AS name, string_agg(macro_definition, '; ' ORDER BY function_type) AS sql
FROM duckdb_functions() WHERE ${OWN} AND function_type IN ('macro', 'table_macro') GROUP BY ALL`;

/** The databases that a statement sees. */
type Sight = Pick<SqlRequest, 'unattached'>;

/** The project's own database alone, also with `database.use`. */
const OWN_ALONE: Sight = { unattached: true };
const IN_MEMORY = `SELECT path IS NULL AS memory FROM duckdb_databases() WHERE database_name = current_database()`;

/** The most columns that are compared. */
const MOST = 200_000;
const TIMEOUT_MS = 60_000;

/**
 * Reads the tables and views of a project's own database. If that is in memory, it has none, and those of the database
 * that `database.use` names are read. The result is independent of the engine.
 */
export async function readTables(database: Database, signal: AbortSignal): Promise<Tables> {
  return readAs(await sightOf(database, signal), database, signal);
}

/** Reads the tables and views of a project's own database, which are all that `sql_tools.tables` can show. */
export function readOwnTables(database: Database, signal: AbortSignal): Promise<Tables> {
  return readAs(OWN_ALONE, database, signal);
}

async function readAs(sight: Sight, database: Database, signal: AbortSignal): Promise<Tables> {
  const read = (sql: string) => rowsOf(database, { sql, ...sight }, signal);
  const relations = await read(RELATIONS);
  const columns = Map.groupBy(await read(COLUMNS), ({ relation }) => String(relation));
  const named = relations.map((row) => {
    const name = String(row.name);
    return [name, toTable(row, (columns.get(name) ?? []).map(toColumn))] as const;
  });
  return Object.fromEntries(named.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Reads the macros of the database whose tables `readTables` reads. Its views and endpoints may call them. */
export async function readMacros(database: Database, signal: AbortSignal): Promise<Macros> {
  const rows = await rowsOf(database, { sql: MACROS, ...(await sightOf(database, signal)) }, signal);
  const named = rows.map(({ name, sql }) => [String(name), String(sql)] as const);
  return Object.fromEntries(named.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

async function sightOf(database: Database, signal: AbortSignal): Promise<Sight> {
  const [own] = await rowsOf(database, { sql: IN_MEMORY, ...OWN_ALONE }, signal);
  return own?.memory === true ? {} : OWN_ALONE;
}

async function rowsOf(
  database: Database,
  asked: Pick<SqlRequest, 'sql' | 'unattached'>,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const request = { ...asked, values: [], mode: 'read', maxRows: MOST } as const;
  const { rows, truncated } = await database.run(request, { caller: null, signal, timeoutMs: TIMEOUT_MS });
  if (truncated) throw new SvcError('result_too_large', `The database has more than ${MOST} columns.`);
  return rows;
}

function toTable({ kind, sql, comment }: JsonObject, columns: readonly ColumnShape[]): TableShape {
  return {
    kind: kind === 'view' ? 'view' : 'table',
    ...(typeof comment === 'string' ? { comment } : {}),
    ...(typeof sql === 'string' ? { sql: sql.trim() } : {}),
    columns,
  };
}

function toColumn({ name, type, nullable, comment }: JsonObject): ColumnShape {
  return {
    name: String(name),
    type: String(type),
    nullable: nullable === true,
    ...(typeof comment === 'string' ? { comment } : {}),
  };
}
