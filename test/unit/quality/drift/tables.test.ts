import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../../../adapters/duckdb-native/open.ts';
import type { Database } from '../../../../src/ports.ts';
import { readMacros, readTables } from '../../../../src/quality/drift/tables.ts';
import { checkTablesExist } from '../../../../src/quality/table-rules.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let root: string;

beforeEach(async () => {
  root = temporaryFolder();
  await runScript(join(root, 'own.duckdb'), 'CREATE TABLE mine AS SELECT 1 AS a; CREATE MACRO one() AS 1');
  await runScript(join(root, 'lake.duckdb'), 'CREATE TABLE sales AS SELECT 5 AS n; CREATE MACRO two() AS 2');
});

async function open(path: string): Promise<Database> {
  const attach = [{ name: 'lake', uri: 'lake.duckdb' }];
  const database = await openNative({ path, readonly: true, root, attach, use: 'lake' });
  onTestFinished(() => database.close());
  return database;
}

async function namesOf(database: Database): Promise<readonly string[]> {
  const { signal } = new AbortController();
  return [await readTables(database, signal), await readMacros(database, signal)].flatMap(Object.keys);
}

it("a project's own tables and macros are read, also where `use` names another database", async () => {
  expect(await namesOf(await open(join(root, 'own.duckdb')))).toEqual(['mine', 'one()']);
});

it('those of the database that `use` names are read where the own one is in memory', async () => {
  expect(await namesOf(await open(':memory:'))).toEqual(['sales', 'two()']);
});

it('rules of `sql_tools.tables` are compared with the own database, which is all that they show', async () => {
  const found = async (path: string) => {
    const findings = await checkTablesExist([{ name: 'mine' }, { name: 'sales' }], {}, await open(path));
    return findings.map(({ message }) => /table or view (\w+)/.exec(message)?.[1]);
  };
  expect(await found(join(root, 'own.duckdb'))).toEqual(['sales']);
  expect(await found(':memory:')).toEqual(['mine', 'sales']);
});
