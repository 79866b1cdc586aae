import { rm } from 'node:fs/promises';
import { openNodeDatabase } from '../../adapters/node/database/open-database.ts';
import { messageOf, SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { ensureWasmArtefact } from '../project/wasm-artefact.ts';
import { type Converter, findConverters } from './converters.ts';

/** A table that was copied: plain JSON. */
export type CopiedTable = { readonly table: string; readonly rows: number };

/** A finished copy, and the engine that made it. */
export interface Copy {
  readonly engine: string;
  readonly tables: readonly CopiedTable[];
  readonly views: readonly string[];
}

/** Quoted names in the form of SQL, such as `"main"."animals"`. */
const NAMES = (kind: 'table' | 'view', database: string) =>
  `SELECT '"' || replace(schema_name, '"', '""') || '"."' || replace(${kind}_name, '"', '""') || '"' AS name
FROM duckdb_${kind}s() WHERE database_name = ${database} AND NOT internal ORDER BY name`;

/**
 * Copies a database into a new file that both engines read, with the first DuckDB that can, and compares the copy with
 * the original: the same tables with the same number of rows, the same views.
 *
 * @throws database_unavailable, with the reason of each engine that was tried.
 */
export async function copyWithAny(source: string, target: string, writer: string | null): Promise<Copy> {
  const reasons: string[] = [];
  for (const converter of await findConverters()) {
    let copied: Copy;
    try {
      copied = await copyWith(converter, source, target);
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

async function copyWith(converter: Converter, source: string, target: string): Promise<Copy> {
  const attach = `ATTACH ${quoted(source)} AS old (READ_ONLY)`;
  const make = `ATTACH ${quoted(target)} AS new (STORAGE_VERSION 'v1.0.0')`;
  const names = await converter.query([
    attach,
    make,
    'COPY FROM DATABASE old TO new',
    'DETACH new',
    NAMES('table', "'old'"),
  ]);
  const views = await converter.query([attach, NAMES('view', "'old'")]);
  const counts = names.length === 0 ? [] : await converter.query([attach, countsOf(names, 'old.')]);
  const tables = names.map((table, index) => ({ table, rows: Number(counts[index]) }));
  return { engine: converter.name, tables, views };
}

function countsOf(tables: readonly string[], database: string): string {
  const each = tables.map((table, index) => `SELECT ${index} AS i, count(*) AS n FROM ${database}${table}`);
  return `SELECT n FROM (${each.join(' UNION ALL ')}) ORDER BY i`;
}

/** Opens the copy with the engine that will serve it. */
async function verify({ tables, views }: Copy, target: string): Promise<void> {
  await ensureWasmArtefact();
  const database = await openNodeDatabase({ path: target, readonly: true, engine: 'wasm' });
  try {
    const names = tables.map(({ table }) => table);
    const found = {
      tables: await firstColumn(database, NAMES('table', 'current_database()')),
      views: await firstColumn(database, NAMES('view', 'current_database()')),
      rows: names.length === 0 ? [] : await firstColumn(database, countsOf(names, '')),
    };
    const expected = { tables: names, views, rows: tables.map(({ rows }) => String(rows)) };
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
  } finally {
    await database.close();
  }
  throw new SvcError(
    'database_unavailable',
    'The copy has other tables or rows than the original, so it was deleted. Stop the program that writes to the original, and convert again.',
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
