import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../../../adapters/duckdb-native/files/script.ts';
import type { DatabaseChoice } from '../../../../adapters/node/database/database-choice.ts';
import type { Output } from '../../../../cli/io/output.ts';
import { openBeside } from '../../../../cli/project/open.ts';
import { errorOf, read, write } from '../../../engine/fixture.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

/** Holds a database for writing in another process, as a server does. */
async function hold(path: string): Promise<void> {
  const holder = `
    const { DuckDBInstance } = await import('@duckdb/node-api');
    await (await DuckDBInstance.create(${JSON.stringify(path)})).connect();
    console.log('ready');
    setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
}

function listening(): { readonly notes: readonly string[]; readonly output: Output } {
  const notes: string[] = [];
  const output: Output = {
    json: false,
    debug: false,
    data: () => {},
    note: (text) => void notes.push(text),
    progress: (_label, work) => work(() => {}),
  };
  return { notes, output };
}

it('beside a server, writes go to the copy of the own file, and attached databases are only read', async () => {
  const root = temporaryFolder();
  const path = join(root, 'own.duckdb');
  await runScript(path, 'CREATE TABLE mine AS SELECT 1 AS a');
  await runScript(join(root, 'lake.duckdb'), 'CREATE TABLE sales AS SELECT 5 AS n');
  await hold(path);
  const { notes, output } = listening();
  const attach = [{ name: 'lake', uri: 'lake.duckdb', readonly: false }];
  const choice: DatabaseChoice = { path, readonly: false, engine: 'native', attach, root };
  const database = await openBeside(root, choice, { output, writes: 'dropped' });
  onTestFinished(() => database.close());
  await write(database, 'INSERT INTO mine VALUES (2)');
  expect((await read(database, 'SELECT count(*) AS n FROM mine')).rows).toEqual([{ n: 2 }]);
  const refused = await errorOf(write(database, 'INSERT INTO lake.sales VALUES (6)'));
  expect(refused.code).toBe('database_readonly');
  expect((await read(database, 'SELECT n FROM lake.sales')).rows).toEqual([{ n: 5 }]);
  expect(notes).toEqual(['Attached databases are not copied, so they are only read.']);
});

it('writes that are dropped go to a copy, also if no other process holds the file', async () => {
  const root = temporaryFolder();
  const path = join(root, 'own.duckdb');
  await runScript(path, 'CREATE TABLE mine AS SELECT 1 AS a');
  await runScript(join(root, 'lake.duckdb'), 'CREATE TABLE sales AS SELECT 5 AS n');
  const { notes, output } = listening();
  const attach = [{ name: 'lake', uri: 'lake.duckdb', readonly: false }];
  const choice: DatabaseChoice = { path, readonly: false, engine: 'native', attach, root };
  for (const _ of [1, 2]) {
    const database = await openBeside(root, choice, { output, writes: 'dropped' });
    await write(database, 'INSERT INTO mine VALUES (2)');
    expect((await read(database, 'SELECT count(*) AS n FROM mine')).rows).toEqual([{ n: 2 }]);
    expect((await errorOf(write(database, 'INSERT INTO lake.sales VALUES (6)'))).code).toBe(
      'database_readonly',
    );
    await database.close();
  }
  expect(new Set(notes)).toEqual(new Set(['Attached databases are not copied, so they are only read.']));
});

it('writes that are dropped create no database, and reach none attached beside one in memory', async () => {
  const root = temporaryFolder();
  await runScript(join(root, 'lake.duckdb'), 'CREATE TABLE sales AS SELECT 5 AS n');
  const { output } = listening();
  const path = join(root, 'own.duckdb');
  const missing = await openBeside(
    root,
    { path, readonly: false, engine: 'native' },
    { output, writes: 'dropped' },
  );
  await write(missing, 'CREATE TABLE mine AS SELECT 1 AS a');
  await missing.close();
  expect(existsSync(path)).toBe(false);
  const attach = [{ name: 'lake', uri: 'lake.duckdb', readonly: false }];
  const choice: DatabaseChoice = {
    path: ':memory:',
    readonly: false,
    engine: 'native',
    attach,
    use: 'lake',
    root,
  };
  const beside = await openBeside(root, choice, { output, writes: 'dropped' });
  expect((await errorOf(write(beside, 'INSERT INTO sales VALUES (6)'))).code).toBe('database_readonly');
  await beside.close();
});
