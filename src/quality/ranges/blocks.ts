import type { Database, SqlResult } from '../../ports.ts';
import { quoteName, quoteText } from '../../sql/quote.ts';

/** The longest time for one table, in milliseconds. */
const TIMEOUT_MS = 600_000;
const MOST_SEGMENTS = 10_000_000;
/** The most values with which the order of a column is tried. */
const PROBES = 100;

/** The blocks of one column. */
interface StoredColumn {
  readonly blocks: ReadonlySet<number>;
  /** The least and the greatest value of each group of rows; empty if DuckDB keeps none. */
  readonly groups: readonly Bounds[];
}

type Bounds = readonly [least: string | number, greatest: string | number];

/** The blocks of a table. */
export interface TableBlocks {
  readonly columns: ReadonlyMap<string, StoredColumn>;
  /** The number of groups of rows. A scan skips whole groups. */
  readonly groups: number;
  /** The columns that have an index of their own. */
  readonly indexed: ReadonlySet<string>;
}

/** Reads the size in bytes of the blocks of a database file. */
export async function readBlockBytes(database: Database): Promise<number> {
  const { rows } = await read(
    database,
    'SELECT block_size AS size FROM pragma_database_size() WHERE database_name = current_database()',
  );
  return Number(rows[0]?.size);
}

/** Reads the ranges of the database file, each of `rangeBytes`, that hold the columns of a table. */
export async function readTableBlocks(
  database: Database,
  { schema, table }: { readonly schema: string; readonly table: string },
  rangeBytes: number,
): Promise<TableBlocks> {
  const size = await readBlockBytes(database);
  const name = [schema, table].map(quoteName).join('.');
  const { rows } = await read(
    database,
    `SELECT column_name AS c, row_group_id AS g, block_id AS b, additional_block_ids AS more, stats AS s,
       segment_type = 'VALIDITY' AS v FROM pragma_storage_info(${quoteText(name)}) WHERE persistent`,
  );
  const columns = new Map<string, { readonly blocks: Set<number>; readonly groups: Map<number, Bounds> }>();
  const groups = new Set<number>();
  for (const { c, g, b, more, s, v } of rows) {
    const column = columns.get(String(c)) ?? { blocks: new Set<number>(), groups: new Map<number, Bounds>() };
    columns.set(String(c), column);
    groups.add(Number(g));
    for (const block of [b, ...(Array.isArray(more) ? more : [])])
      if (block !== null && Number(block) >= 0)
        column.blocks.add(Math.floor((Number(block) * size) / rangeBytes));
    const bounds = v === true ? null : boundsOf(String(s));
    const known = column.groups.get(Number(g));
    if (bounds !== null) column.groups.set(Number(g), known === undefined ? bounds : union(known, bounds));
  }
  return {
    columns: new Map(
      [...columns].map(([column, found]) => [
        column,
        { blocks: found.blocks, groups: [...found.groups.values()] },
      ]),
    ),
    groups: groups.size,
    indexed: await readIndexed(database, schema, table),
  };
}

/** The mean number of groups in which a value of the column may be: 1 in a table that is sorted by it. */
export function groupsOfValue({ groups: all, columns }: TableBlocks, name: string): number {
  const { groups = [] } = columns.get(name) ?? {};
  if (groups.length < all) return all;
  const step = Math.max(1, Math.floor(groups.length / PROBES));
  const probes = groups.filter((_, at) => at % step === 0).map(([least]) => least);
  const found = probes.map(
    (value) => groups.filter(([least, greatest]) => least <= value && value <= greatest).length,
  );
  return found.reduce((sum, count) => sum + count, 0) / Math.max(1, found.length);
}

async function readIndexed(database: Database, schema: string, table: string): Promise<ReadonlySet<string>> {
  const where = `schema_name = ${quoteText(schema)} AND table_name = ${quoteText(table)}`;
  const { rows } = await read(
    database,
    `SELECT expressions AS e FROM duckdb_indexes() WHERE ${where}
     UNION ALL SELECT constraint_column_names::VARCHAR FROM duckdb_constraints()
       WHERE ${where} AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')`,
  );
  return new Set(
    rows.flatMap(({ e }) => {
      const [, column] = /^\[?['"]*([^,'"()]+?)['"]*\]?$/.exec(String(e)) ?? [];
      return column === undefined ? [] : [column];
    }),
  );
}

/** `[Min: 0, Max: 299][Has Null: false, ...]`. Numbers are compared as such, times and texts as texts. */
function boundsOf(stats: string): Bounds | null {
  const [, least, greatest] = /^\[Min: (.*), Max: (.*?)(?:, Has Unicode: .*?)?\]\[Has Null/.exec(stats) ?? [];
  if (least === undefined || greatest === undefined) return null;
  const numbers = [Number(least), Number(greatest)] as const;
  return least === '' || numbers.some(Number.isNaN) ? [least, greatest] : numbers;
}

function union([least, greatest]: Bounds, [other, most]: Bounds): Bounds {
  return [other < least ? other : least, most > greatest ? most : greatest];
}

function read(database: Database, sql: string): Promise<SqlResult> {
  return database.run(
    { sql, values: [], mode: 'read', maxRows: MOST_SEGMENTS },
    { caller: null, signal: new AbortController().signal, timeoutMs: TIMEOUT_MS },
  );
}
