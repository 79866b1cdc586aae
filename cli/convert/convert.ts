import { rm } from 'node:fs/promises';
import { openNodeDatabase } from '../../adapters/node/database/open-database.ts';
import { messageOf, SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { quoteName, quoteText } from '../../src/sql/quote.ts';
import { ensureWasmArtefact } from '../project/wasm-artefact.ts';
import { type Converter, findConverters } from './converters.ts';

/** A table that was copied: plain JSON. */
type CopiedTable = { readonly table: string; readonly rows: number };

/** A finished copy, and the engine that made it. */
interface Copy {
  readonly engine: string;
  readonly tables: readonly CopiedTable[];
  readonly views: readonly string[];
  /** Sequences, indexes, types and macros, each with its kind before its name. */
  readonly others: readonly string[];
}

/** Lists everything that is neither a table nor a view. */
const othersOf = (
  database: string,
) => `SELECT DISTINCT kind || ' ' || schema_name || '.' || name AS name FROM (
  SELECT 'sequence' AS kind, schema_name, sequence_name AS name, database_name AS db FROM duckdb_sequences()
  UNION ALL SELECT 'index', schema_name, index_name, database_name FROM duckdb_indexes()
  UNION ALL SELECT 'type', schema_name, type_name, database_name FROM duckdb_types() WHERE NOT internal
  UNION ALL SELECT function_type, schema_name, function_name, database_name FROM duckdb_functions() WHERE NOT internal
) WHERE db = ${database} ORDER BY name`;

/** Quoted names in the form of SQL, such as `"main"."animals"`. */
const NAMES = (kind: 'table' | 'view', database: string) =>
  `SELECT '"' || replace(schema_name, '"', '""') || '"."' || replace(${kind}_name, '"', '""') || '"' AS name
FROM duckdb_${kind}s() WHERE database_name = ${database} AND NOT internal ORDER BY name`;

/**
 * Copies a database into a new file that both engines read, with the first DuckDB that can, and compares the copy with
 * the original: the same tables with the same number of rows, the same views, macros, types, sequences and indexes.
 *
 * @throws database_unavailable, with the reason of each engine that was tried.
 */
export async function copyWithAny(source: string, target: string, writer: string | null): Promise<Copy> {
  const reasons: string[] = [];
  for (const converter of await findConverters()) {
    let copied: Copy;
    try {
      copied = await privately(() => copyWith(converter, source, target));
    } catch (thrown) {
      reasons.push(`  ${converter.name}: ${messageOf(thrown).split('\n')[0]}`);
      for (const made of [target, `${target}.wal`]) await rm(made, { force: true });
      continue;
    }
    await verify(copied, target);
    return copied;
  }
  throw nobody(source, writer, reasons);
}

/** Runs work whose new files only this user can read. This includes the programs that it starts. */
async function privately<T>(work: () => Promise<T>): Promise<T> {
  const before = process.umask(0o077);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}

async function copyWith(converter: Converter, source: string, target: string): Promise<Copy> {
  const attach = [
    `ATTACH ${quoteText(source)} AS old (READ_ONLY)`,
    `ATTACH ${quoteText(target)} AS new (STORAGE_VERSION 'v1.0.0')`,
  ];
  const read = (sql: string) => converter.query([...attach.slice(0, 1), sql]);
  const names = await read(NAMES('table', "'old'"));
  try {
    await converter.query([...attach, 'COPY FROM DATABASE old TO new', 'DETACH new', 'SELECT 1']);
  } catch (thrown) {
    if (!/foreign key/i.test(messageOf(thrown))) throw thrown;
    for (const made of [target, `${target}.wal`]) await rm(made, { force: true });
    await copyInOrder(converter, attach, await read(REFERENCES));
  }
  const views = await read(NAMES('view', "'old'"));
  const counts = names.length === 0 ? [] : await read(countsOf(names, 'old.'));
  const tables = names.map((table, index) => ({ table, rows: Number(counts[index]) }));
  return { engine: converter.name, tables, views, others: await read(othersOf("'old'")) };
}

/** Each table with the tables that it references and its columns, as JSON. */
const REFERENCES = `SELECT json_object('table', [t.schema_name, t.table_name],
  'references', coalesce((SELECT list(k.referenced_table) FROM duckdb_constraints() k
    WHERE (k.database_oid, k.schema_oid, k.table_oid) = (t.database_oid, t.schema_oid, t.table_oid)
      AND k.constraint_type = 'FOREIGN KEY' AND k.referenced_table <> t.table_name), []),
  'columns', (SELECT list([c.column_name, CASE WHEN c.column_default IS NULL THEN '' ELSE 'default' END] ORDER BY c.column_index)
    FROM duckdb_columns() c
    WHERE (c.database_oid, c.schema_oid, c.table_oid) = (t.database_oid, t.schema_oid, t.table_oid)))
FROM duckdb_tables() t WHERE t.database_name = 'old' AND NOT t.internal`;

interface Referring {
  readonly table: readonly [schema: string, name: string];
  readonly references: readonly string[];
  readonly columns: readonly (readonly [name: string, default_: string])[];
}

/** Copies tables after those that they reference. DuckDB 1.5 copies them in the order of their names, and then refuses. */
async function copyInOrder(
  converter: Converter,
  attach: readonly string[],
  described: readonly string[],
): Promise<void> {
  await converter.query([...attach, 'COPY FROM DATABASE old TO new (SCHEMA)', 'DETACH new', 'SELECT 1']);
  const inserts: string[] = [];
  for (const { table, columns } of inOrder(described.map((text): Referring => JSON.parse(text)))) {
    const name = table.map(quoteName).join('.');
    const plain: string[] = [];
    for (const [column, byDefault] of columns) {
      const own = quoteName(column);
      if (byDefault === '' || !(await isGenerated(converter, attach, `new.${name} (${own})`)))
        plain.push(own);
    }
    inserts.push(`INSERT INTO new.${name} (${plain.join(', ')}) SELECT ${plain.join(', ')} FROM old.${name}`);
  }
  await converter.query([...attach, 'BEGIN', ...inserts, 'COMMIT', 'DETACH new', 'SELECT 1']);
}

/** Foreign keys stay within a schema, and never form a circle, because a key names a table that exists. */
function inOrder(tables: readonly Referring[]): readonly Referring[] {
  const ordered = new Set<Referring>();
  const add = (one: Referring): void => {
    if (ordered.has(one)) return;
    const [schema] = one.table;
    for (const other of tables) {
      if (other.table[0] === schema && one.references.includes(other.table[1])) add(other);
    }
    ordered.add(one);
  };
  for (const table of tables) add(table);
  return [...ordered];
}

/** Whether a column cannot be inserted. DuckDB lists the expression of such a column as its default. */
async function isGenerated(
  converter: Converter,
  attach: readonly string[],
  column: string,
): Promise<boolean> {
  try {
    await converter.query([...attach, `EXPLAIN INSERT INTO ${column} SELECT NULL`]);
    return false;
  } catch (thrown) {
    if (/generated column/i.test(messageOf(thrown))) return true;
    throw thrown;
  }
}

function countsOf(tables: readonly string[], database: string): string {
  const each = tables.map((table, index) => `SELECT ${index} AS i, count(*) AS n FROM ${database}${table}`);
  return `SELECT n FROM (${each.join(' UNION ALL ')}) ORDER BY i`;
}

/** Opens the copy with the engine that will serve it. */
async function verify({ tables, views, others }: Copy, target: string): Promise<void> {
  await ensureWasmArtefact();
  const database = await openNodeDatabase({ path: target, readonly: true, engine: 'wasm' });
  try {
    const names = tables.map(({ table }) => table);
    const found = {
      tables: await firstColumn(database, NAMES('table', 'current_database()')),
      views: await firstColumn(database, NAMES('view', 'current_database()')),
      others: await firstColumn(database, othersOf('current_database()')),
      rows: names.length === 0 ? [] : await firstColumn(database, countsOf(names, '')),
    };
    const expected = { tables: names, views, others, rows: tables.map(({ rows }) => String(rows)) };
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
  } finally {
    await database.close();
  }
  throw new SvcError(
    'database_unavailable',
    'The copy has other tables, rows or macros than the original, so it was deleted. Stop the program that writes to the original, and convert again.',
  );
}

async function firstColumn(database: Database, sql: string): Promise<readonly string[]> {
  const request = { sql, values: [], mode: 'read', maxRows: 1_000_000 } as const;
  const signal = new AbortController().signal;
  const { rows } = await database.run(request, { caller: null, signal, timeoutMs: 600_000 });
  return rows.map((row) => String(Object.values(row)[0]));
}

function nobody(source: string, writer: string | null, reasons: readonly string[]): SvcError {
  const wanted = writer === null ? 'duckdb' : `duckdb>=${writer}`;
  return new SvcError(
    'database_unavailable',
    `No DuckDB on this machine can convert ${source}:
${reasons.join('\n')}
Install one that can, and convert again: python3 -m venv .venv && .venv/bin/pip install '${wanted}', then SVC_PYTHON=.venv/bin/python svc convert ...`,
  );
}
