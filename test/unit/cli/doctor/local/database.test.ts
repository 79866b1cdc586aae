import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import type { DatabaseChoice } from '../../../../../adapters/node/database/database-choice.ts';
import { diagnoseDatabase } from '../../../../../cli/doctor/local/database.ts';

let root: string;
let path: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  path = join(root, 'data.duckdb');
  await runScript(path, 'CREATE TABLE t AS SELECT 1 AS x');
});
afterEach(() => rm(root, { recursive: true }));

const look = (more: Partial<DatabaseChoice> = {}) =>
  diagnoseDatabase(root, { path, readonly: true, engine: 'wasm', ...more });

test.each([
  ['wasm', true],
  ['native', true],
  ['native', false],
] as const)('%s opens it (readonly: %s), and nothing of it changes', async (engine, readonly) => {
  const before = await readFile(path);
  const [check, ...more] = await look({ engine, readonly });
  expect(check).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/opens .*storage version \d+\)/),
  });
  expect(more).toEqual([]);
  expect((await readFile(path)).equals(before)).toBe(true);
});

test('one that is not there is a problem where nobody makes it', async () => {
  const gone = join(root, 'gone.duckdb');
  expect(await look({ path: gone })).toMatchObject([
    { status: 'problem', fix: expect.stringMatching(/seed\.sql/) },
  ]);
  expect(await look({ path: gone, readonly: false })).toMatchObject([{ status: 'ok' }]);
  await writeFile(join(root, 'seed.sql'), 'SELECT 1');
  expect(await look({ path: gone })).toMatchObject([
    { status: 'ok', message: expect.stringMatching(/seed\.sql creates it/) },
  ]);
  await expect(readFile(gone)).rejects.toThrow();
  for (const readonly of [true, false]) {
    expect(await look({ path: join(path, 'in-a-file.duckdb'), readonly })).toMatchObject([
      { status: 'problem', message: expect.stringMatching(/its folder is not writable/) },
    ]);
  }
});

test('what is no database, or half of one, is a problem', async () => {
  const bytes = await readFile(path);
  await writeFile(path, 'nothing that anybody knows');
  expect(await look()).toMatchObject([
    { name: 'database', status: 'problem', message: expect.stringMatching(/not a DuckDB database/) },
  ]);
  await writeFile(path, bytes.subarray(0, 5000));
  expect(await look()).toMatchObject([{ name: 'database', status: 'problem', fix: expect.any(String) }]);
});

test('extensions are what the engine has loaded; the wasm engine says that it loads none', async () => {
  const extensions = { extensions: [{ name: 'json' }] };
  expect(await look({ engine: 'native', extensions })).toMatchObject([
    { name: 'database', status: 'ok' },
    {
      name: 'extensions',
      status: 'ok',
      message: expect.stringMatching(
        /^json: loaded by the native engine; an artefact needs `svc build --engine native`$/,
      ),
    },
  ]);
  expect(await look({ extensions })).toMatchObject([
    { status: 'problem', fix: expect.stringMatching(/engine: native/) },
  ]);
});
