import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { createRuntime, type Runtime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { Database } from '../../src/ports.ts';
import { ALICE, loadTree } from '../unit/call/project.ts';
import { type Folder, temporaryFolder } from './fixture.ts';
import { answersOf } from './restricted-answers.ts';

const siteOf = (attached: boolean) => `svc: 1
project: demo
profile: default
sql_tools: { enabled: true, attached: ${attached} }
profiles:
  default: { database: { path: data.duckdb, attach: [{ name: lake, uri: lake.duckdb }] } }
`;

describe('an attached database that is hidden from the SQL tools', () => {
  let folder: Folder;
  let database: Database;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await runScript(folder.file('data.duckdb'), 'CREATE TABLE docs AS SELECT 1 AS id');
    await runScript(
      folder.file('lake.duckdb'),
      `CREATE TABLE plans_4711 AS SELECT 1 AS id; CREATE TYPE mood_4711 AS ENUM ('glad');
       CREATE MACRO most_4711() AS 1; CREATE MACRO every_4711() AS TABLE SELECT 1; CREATE SCHEMA sub_4711`,
    );
    const attach = [{ name: 'lake', uri: folder.file('lake.duckdb') }];
    database = await openNative({ path: folder.file('data.duckdb'), readonly: true, attach });
  });
  afterAll(async () => {
    await database?.close();
    await folder.remove();
  });

  const ask = async (sql: string, attached: boolean) => {
    const catalog = await compileCatalog(await loadTree({ 'svc-site.yml': siteOf(attached) }));
    const runtime: Runtime = createRuntime({ catalog, open: async () => database, log: () => {} });
    return answersOf([{ runtime }], ALICE, sql);
  };

  it.each([
    'FROM plans_471',
    'FROM plans_4711',
    'SELECT most_471()',
    'FROM every_471()',
    'SELECT NULL::mood_471',
    'FROM sub_471.plans_4711',
  ])('is named in no error: %s', async (sql) => {
    const [answer] = await ask(sql, false);
    expect(answer).toEqual({ error: expect.stringMatching(/^sql_rejected: /) });
    expect(JSON.stringify(answer)).not.toMatch(/lake|Did you mean/);
  });

  it('is named in an error where the SQL tools see it', async () => {
    expect(await ask('FROM plans_471', true)).toEqual([
      { error: expect.stringContaining('Did you mean "lake.plans_4711"?') },
    ]);
  });
});
