import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import type { Database } from '../../../../../src/ports.ts';
import { errorOf, read } from '../../../../engine/fixture.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';

const PAGE = readFileSync('docs/explanation/scaling.md', 'utf8');
/** The statement of the page, over the folder of a test, its parameter by position. */
const statement = (root: string) =>
  (/```sql\n-- sql\/revenue\.sql\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '')
    .replace('/srv', root)
    .replace('$year', '$1');

let root: string;

beforeEach(async () => {
  root = temporaryFolder();
  await put('2025-12-31', "('north', 10.00), ('south', 2.50)");
  await put('2026-01-01', "('north', 1.00)");
});

/** A day's file, whole from its first moment. */
async function put(day: string, rows: string): Promise<void> {
  const folder = join(root, `lake/sales/year=${day.slice(0, 4)}`);
  mkdirSync(folder, { recursive: true });
  const fresh = join(root, 'fresh.parquet');
  await runScript(
    join(root, 'writer.duckdb'),
    `COPY (SELECT * FROM (VALUES ${rows}) t(region, amount)) TO '${fresh}' (FORMAT parquet)`,
  );
  renameSync(fresh, join(folder, `${day}.parquet`));
}

/** As `svc serve --stateless` with an extension that opens the outside: the database is only read, and may be empty. */
async function instance(name: string, external = true): Promise<Database> {
  const path = join(root, `${name}.duckdb`);
  await runScript(path, 'CREATE TABLE nothing (x INTEGER)');
  const database = await openNative({ path, readonly: true, external });
  onTestFinished(() => database.close());
  return database;
}

const revenue = async (database: Database, year: bigint) =>
  (await read(database, statement(root), [year])).rows;

it('many instances read one folder of Parquet files, and see a file that is added with the next call', async () => {
  const instances = [await instance('one'), await instance('two')];
  for (const one of instances) {
    expect(await revenue(one, 2025n)).toEqual([
      { region: 'north', revenue: 10 },
      { region: 'south', revenue: 2.5 },
    ]);
    expect(await revenue(one, 2026n)).toEqual([{ region: 'north', revenue: 1 }]);
  }
  await put('2026-01-02', "('north', 0.25), ('west', 7.00)");
  for (const one of instances) {
    expect(await revenue(one, 2026n)).toEqual([
      { region: 'north', revenue: 1.25 },
      { region: 'west', revenue: 7 },
    ]);
  }
});

it('a query opens the files of its years only: a broken one elsewhere does not matter', async () => {
  mkdirSync(join(root, 'lake/sales/year=2027'));
  writeFileSync(join(root, 'lake/sales/year=2027/broken.parquet'), 'no Parquet');
  const database = await instance('one');
  expect(await revenue(database, 2025n)).toHaveLength(2);
  expect((await errorOf(read(database, statement(root), [2027n]))).message).toContain('broken.parquet');
});

it('without an extension that opens the outside, nothing is read', async () => {
  const closed = await instance('closed', false);
  expect((await errorOf(read(closed, statement(root), [2025n]))).message).toMatch(/disabled/i);
});
