import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { compileEngine } from '../../../adapters/duckdb-wasm/engine/artefact.ts';
import { openWasm } from '../../../adapters/duckdb-wasm/in-process.ts';
import { openRemote } from '../../../adapters/duckdb-wasm/remote/remote-file.ts';
import { describeRemote } from '../../../deploy/remote-database.ts';
import { parseSort, sortTables } from '../../../deploy/sort-tables.ts';
import type { Database } from '../../../src/ports.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { failureOf, read } from '../adapters/duckdb-wasm/fixture.ts';
import { FakeStore } from '../adapters/duckdb-wasm/remote/source.ts';

/** In the order of a hash, so that each block has every customer. */
const TABLES = `
  CREATE TABLE sales (id BIGINT, customer INTEGER NOT NULL, note VARCHAR DEFAULT 'none', weight UBIGINT);
  CREATE INDEX by_id ON sales (id);
  CREATE VIEW heavy AS SELECT count(*) AS n FROM sales WHERE weight > 9223372036854775808;
  INSERT INTO sales SELECT i, (hash(i) % 5000)::INTEGER, 'note ' || hash(i + 1), hash(i + 2)
    FROM range(500000) t(i);
  CREATE TABLE parents (id INTEGER PRIMARY KEY);
  INSERT INTO parents VALUES (2), (1);
  CREATE TABLE children (parent INTEGER REFERENCES parents (id));
  INSERT INTO children VALUES (1);`;

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-sort-'));
  path = join(folder, 'shop.duckdb');
  await runScript(path, TABLES);
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

describe('--sort', () => {
  it('names a table and columns', () => {
    expect(parseSort('sales=id')).toEqual({ table: 'sales', columns: ['id'] });
    expect(parseSort('shop.sales = shop, id')).toEqual({ table: 'shop.sales', columns: ['shop', 'id'] });
  });

  it.each(['sales', 'sales=', '=id', 'sales=id,', 'a=b=c', ''])('is refused as %j', (text) => {
    expect(() => parseSort(text)).toThrow('Write it as in --sort sales=id');
  });
});

const LOOKUP = 'SELECT id, note, weight FROM sales WHERE customer = 4711 ORDER BY id';

// Requirements: large.sort
describe('a table that is sorted', () => {
  it('has the same rows, definitions and indexes, in fewer ranges', async () => {
    const before = await describeRows();
    const scattered = await rangesOf();
    const { size } = await stat(path);
    await sortTables(path, [{ table: 'sales', columns: ['customer'] }]);
    expect(await describeRows()).toEqual(before);
    const sorted = await rangesOf();
    expect(sorted.rows).toEqual(scattered.rows);
    expect(scattered.ranges).toBeGreaterThan(40);
    expect(sorted.ranges).toBeLessThan(scattered.ranges / 4);
    expect((await stat(path)).size).toBeLessThan(size * 1.5);
  }, 120_000);

  it('is an error if it does not exist, lacks the column, or others refer to its rows', async () => {
    const tables = ['nothing=id', 'sales=nothing', 'parents=id'].map(parseSort);
    const { code, message } = await failureOf(sortTables(path, tables));
    expect(code).toBe('project_invalid');
    expect(message).toMatch(
      /^These tables cannot be sorted:\nnothing: .*\n[\s\S]*sales: [\s\S]*parents: .*foreign key/,
    );
    expect((await describeRows()).rows).toBe('500000');
  });
});

it.each(['heavy', 'HEAVY', 'main.heavy'])(
  'the view %s is not sorted, and the error says why',
  async (view) => {
    const { code, message } = await failureOf(sortTables(path, [parseSort(`${view}=n`)]));
    expect(code).toBe('project_invalid');
    expect(message).toContain(`${view}: it is a view, and only tables can be sorted.`);
    expect(message).not.toContain('Binder');
  },
);

describe('a table with the name that a copy may have', () => {
  it.each(['sorted', 'SORTED', 'temp'])('%s is sorted too', async (table) => {
    const file = join(temporaryFolder(), 'names.duckdb');
    const names = [table, `${table} sorted`];
    for (const name of names)
      await runScript(file, `CREATE TABLE "${name}" AS SELECT unnest([2, 3, 1]) AS x`);
    await sortTables(
      file,
      names.map((name) => ({ table: name, columns: ['x'] })),
    );
    const database = await openNative({ path: file, readonly: true });
    onTestFinished(() => database.close());
    for (const name of [table, `${table} sorted`]) {
      const { rows } = await read(database, `SELECT x FROM "${name}"`);
      expect(rows.map(({ x }) => x)).toEqual([1, 2, 3]);
    }
  });

  it('a table with generated columns and defaults is sorted, also by such a column', async () => {
    const file = join(temporaryFolder(), 'generated.duckdb');
    await runScript(
      file,
      `CREATE SCHEMA "s x";
      CREATE TABLE "s x"."sales" ("n ""1""" INTEGER, down INTEGER GENERATED ALWAYS AS (-"n ""1"""), x INTEGER DEFAULT 7);
      INSERT INTO "s x".sales ("n ""1""") VALUES (1), (3), (2);
      UPDATE "s x".sales SET x = NULL WHERE "n ""1""" = 2`,
    );
    await sortTables(file, [{ table: 's x.sales', columns: ['down'] }]);
    const database = await openNative({ path: file, readonly: true });
    onTestFinished(() => database.close());
    const { rows } = await read(database, 'SELECT down, x FROM "s x".sales');
    expect(rows.map(({ down, x }) => [down, x])).toEqual([
      [-3, 7],
      [-2, null],
      [-1, 7],
    ]);
  });

  it('a schema named temp is no obstacle', async () => {
    const file = join(temporaryFolder(), 'schema.duckdb');
    await runScript(file, 'CREATE SCHEMA temp; CREATE TABLE main.sales AS SELECT unnest([2, 1]) AS x');
    await sortTables(file, [{ table: 'sales', columns: ['x'] }]);
    const database = await openNative({ path: file, readonly: true });
    onTestFinished(() => database.close());
    expect((await read(database, 'SELECT x FROM sales')).rows.map(({ x }) => x)).toEqual([1, 2]);
  });
});

/** Everything about the data but its order. */
async function describeRows() {
  const database = await openNative({ path, readonly: true });
  onTestFinished(() => database.close());
  const one = async (sql: string): Promise<string> => JSON.stringify((await read(database, sql)).rows);
  const described = {
    rows: String((await read(database, 'SELECT count(*)::VARCHAR AS n FROM sales')).rows[0]?.n),
    sum: await one('SELECT sum(hash(s)::HUGEINT)::VARCHAR AS h FROM sales s'),
    columns: await one('DESCRIBE sales'),
    indexes: await one('SELECT index_name, sql FROM duckdb_indexes()'),
    view: await one('SELECT n FROM heavy'),
    children: await one('SELECT * FROM children JOIN parents ON parent = id'),
  };
  await database.close();
  return described;
}

/** A lookup by customer, read by ranges by the engine of a Worker. */
async function rangesOf() {
  const bytes = new Uint8Array(await readFile(path));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const facts = { name: 'shop.duckdb', bytes: bytes.length, sha256 };
  const remote = await describeRemote(path, facts, { project: 'shop', store: 'r2' });
  const file = async () => openRemote({ ...facts, remote }, new FakeStore(bytes));
  const database: Database = await openWasm({ ...(await compileEngine()), file });
  const { rows, fetched } = await read(database, LOOKUP, { timeoutMs: 60_000 });
  await database.close();
  return { rows, ranges: fetched?.ranges ?? 0 };
}
