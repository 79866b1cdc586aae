import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadDriver } from '../../adapters/duckdb-native/driver/driver.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { Database, ScanEstimate, ScanLimits } from '../../src/ports.ts';
import { callOf } from '../engine/fixture.ts';
import { EXTENSIONS, PASSWORD, type Postgres, startPostgres } from './parts.ts';

/* The estimates behind `limits.scan_rows` and `limits.scan_bytes`, for the table in docs/reference/limits.md. */

const SLOW = 120_000;
const ROWS = 200_000;
const ROUNDS = 200;
const NAMES = ['ducklake', 'postgres_scanner', 'sqlite_scanner'] as const;

/** Ids lie in their order, which lets DuckDB skip groups of rows; `mixed` lies in none. */
const DATA = `SELECT i::BIGINT AS id, (i * 7919 % ${ROWS})::BIGINT AS mixed, 'region ' || (i % 7) AS region,
  (i * 1.25)::DOUBLE AS amount, repeat('x', (i % 50)::INTEGER) AS note FROM range(${ROWS}) t(i)`;

const STATEMENTS = {
  'all rows, two columns': 'SELECT region, sum(amount) FROM TABLE GROUP BY ALL',
  'all rows, a text': 'SELECT max(note) FROM TABLE',
  'one id, sorted': 'SELECT amount FROM TABLE WHERE id = 199000',
  'one id, unsorted': 'SELECT amount FROM TABLE WHERE mixed = 199000',
  'one tenth, sorted': 'SELECT sum(amount) FROM TABLE WHERE id >= 180000',
  'one seventh, by text': "SELECT sum(amount) FROM TABLE WHERE region = 'region 3'",
  'the first five': 'SELECT id FROM TABLE LIMIT 5',
} as const;

/** Estimates everything and refuses nothing. */
const NO_LIMIT: ScanLimits = { rows: 1e12, bytes: 1e15 };

let root: string;
let database: Database;
let postgres: Postgres;
let homes: { readonly [home: string]: string };

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-estimates-'));
  mkdirSync(join(root, 'lake'));
  postgres = await startPostgres();
  homes = {
    'a DuckDB file': 'file.sales',
    Parquet: `read_parquet('${root}/sales.parquet')`,
    CSV: `read_csv('${root}/sales.csv')`,
    'a DuckLake': 'lake.sales',
    SQLite: 'lite.sales',
    Postgres: 'pg.sales',
    'Postgres, never analysed': 'pg.fresh',
  };
  await fill();
  database = await open();
}, SLOW);

afterAll(async () => {
  await database?.close();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
});

const attached = () => `LOAD ducklake; LOAD postgres_scanner; LOAD sqlite_scanner;
ATTACH '${root}/file.duckdb' AS file;
ATTACH '${root}/data.sqlite' AS lite (TYPE sqlite);
ATTACH 'ducklake:${root}/lake.ducklake' AS lake (DATA_PATH '${root}/lake');
ATTACH 'dbname=postgres host=127.0.0.1 port=${postgres.port} user=svc password=${PASSWORD}' AS pg (TYPE postgres)`;

async function fill(): Promise<void> {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(':memory:', { extension_directory: EXTENSIONS });
  const connection = await instance.connect();
  await connection.run(attached());
  for (const home of ['file', 'lite', 'lake', 'pg'])
    await connection.run(`CREATE TABLE ${home}.sales AS ${DATA}`);
  await connection.run(`CREATE TABLE pg.fresh AS ${DATA}`);
  await connection.run("CALL postgres_execute('pg', 'ANALYZE sales')");
  await connection.run(`COPY (${DATA}) TO '${root}/sales.parquet' (ROW_GROUP_SIZE 20000)`);
  await connection.run(`COPY (${DATA}) TO '${root}/sales.csv'`);
  connection.closeSync();
  instance.closeSync();
}

function open(): Promise<Database> {
  const parameters = { host: '127.0.0.1', port: postgres.port, user: 'svc', password: PASSWORD };
  return openNative({
    path: ':memory:',
    readonly: true,
    external: true,
    extensions: NAMES.map((name) => ({ name })),
    extensionDirectory: EXTENSIONS,
    root,
    secrets: [{ name: 'pg', type: 'postgres', parameters }],
    attach: [
      { name: 'file', uri: 'file.duckdb' },
      { name: 'lite', uri: 'sqlite:data.sqlite' },
      { name: 'lake', uri: 'ducklake:lake.ducklake' },
      { name: 'pg', uri: 'postgres:dbname=postgres', secret: 'pg' },
    ],
  });
}

/** Runs a statement and returns its estimate and its milliseconds. */
async function timed(sql: string, scan?: ScanLimits) {
  const request = { sql, values: [], mode: 'read', maxRows: 10, ...(scan && { scan }) } as const;
  const begun = performance.now();
  const { estimate } = await database.run(request, callOf({ timeoutMs: SLOW }));
  return { ms: performance.now() - begun, estimate };
}

it(
  'are exact where the home counts its rows, as the printed table shows',
  async () => {
    const whole = new Map<string, ScanEstimate | undefined>();
    const lines = ['| home | statement | estimated rows | estimated bytes |', '|---|---|---|---|'];
    for (const [home, table] of Object.entries(homes)) {
      for (const [name, statement] of Object.entries(STATEMENTS)) {
        const { estimate } = await timed(statement.replace('TABLE', table), NO_LIMIT);
        lines.push(`| ${home} | ${name} | ${estimate?.rows ?? 'none'} | ${estimate?.bytes ?? 'none'} |`);
        if (name === 'all rows, two columns') whole.set(home, estimate);
      }
    }
    console.log(lines.join('\n'));
    await printCost('one id, sorted');
    await printCost('all rows, two columns');
    // CSV and Postgres keep no count of rows; theirs are guesses.
    for (const home of ['a DuckDB file', 'Parquet', 'a DuckLake', 'SQLite']) {
      const { rows = null, bytes = null } = whole.get(home) ?? {};
      expect([home, Math.abs(Number(rows) / ROWS - 1) < 0.01]).toEqual([home, true]);
      expect([home, bytes]).toEqual([home, Number(rows) * 24]);
    }
    expect(whole.get('Postgres')?.rows).toBeGreaterThan(ROWS / 2);
  },
  SLOW,
);

it('are none for a Postgres table without statistics, so nothing is refused', async () => {
  const { estimate } = await timed('SELECT count(*) FROM pg.fresh', { rows: 1, bytes: 1 });
  expect(estimate).toEqual({ rows: null, bytes: null });
  const query = await timed("FROM postgres_query('pg', 'SELECT id FROM sales')", { rows: 1 });
  expect(query.estimate?.rows).toBeNull();
});

/** Prints how much longer a statement over a DuckDB file takes with limits. */
async function printCost(name: keyof typeof STATEMENTS): Promise<void> {
  const sql = STATEMENTS[name].replace('TABLE', 'file.sales');
  const samples: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    // They take turns, so that a busy machine slows all three alike.
    for (const [index, scan] of [undefined, { rows: 1e12 }, NO_LIMIT].entries())
      samples[index]?.push((await timed(sql, scan)).ms);
  }
  const [without, rows, bytes] = [median(samples[0]), median(samples[1]), median(samples[2])];
  const times = (ms: number) => `${(ms / without).toFixed(2)} times`;
  console.log(
    `${name}: ${without.toFixed(2)} ms; a limit on rows ${times(rows)}, on bytes too ${times(bytes)}`,
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length / 2] ?? Number.NaN;
}
