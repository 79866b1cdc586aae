import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { callEndpoint } from '../../src/call/pipeline.ts';
import type { Runtime } from '../../src/call/runtime.ts';
import { createRuntime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { ToolEntry } from '../../src/catalog/model.ts';
import type { JsonObject } from '../../src/json.ts';
import type { Database, SqlRequest } from '../../src/ports.ts';
import { classify } from '../../src/sql/statement.ts';
import { ALICE, contextOf, loadTree, SITE } from '../unit/call/project.ts';
import { ENGINES } from './engines.ts';
import { ESCAPES_BY_AIM } from './escapes.ts';
import { errorOf, type Folder, temporaryFolder } from './fixture.ts';

/** What no answer, no error and no log may ever hold. */
const CANARY = 'canary-4711-content';

const SCRIPT = `CREATE TABLE items AS SELECT i::INTEGER AS id, 'item ' || i AS name FROM range(100) t(i)`;
const TREE = {
  'svc-site.yml': `${SITE}sql_tools:\n  enabled: true\n`,
  'tools/ordinary.yml': 'svc: 1\ntool:\n  name: ordinary\n  source: { code: SELECT 1 AS n }\n',
};

/** What an author's own statement that writes may do to the author's own database. */
const OWN_BUSINESS = ['settings, secrets and upkeep', 'SQL put together from text'];

/** The database's file, and the folder beside it with the canaries. */
interface Places {
  readonly file: string;
  readonly canaries: string;
}

async function plant(folder: Folder): Promise<Places> {
  const canaries = folder.file('canaries');
  await mkdir(canaries);
  for (const format of ['txt', 'csv', 'json'])
    await writeFile(
      `${canaries}/canary.${format}`,
      format === 'json' ? `{"secret":"${CANARY}"}\n` : `secret\n${CANARY}\n`,
    );
  await runScript(
    `${canaries}/canary.duckdb`,
    `CREATE TABLE t AS SELECT '${CANARY}' AS secret; COPY t TO '${canaries}/canary.parquet'`,
  );
  await runScript(
    folder.file('data.duckdb'),
    `${SCRIPT}; CREATE TABLE gone AS SELECT '${CANARY}' AS secret; CHECKPOINT; DROP TABLE gone`,
  );
  return { file: folder.file('data.duckdb'), canaries };
}

const placed = (sql: string, { file, canaries }: Places): string =>
  sql.replaceAll('{file}', file).replaceAll('{folder}', canaries).replaceAll('{name}', basename(canaries));

/** Everything there is outside of the engine, by content. */
async function fingerprint({ file, canaries }: Places): Promise<JsonObject> {
  const names = (await readdir(dirname(file), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.wal'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
  expect(names.some((name) => name.startsWith(canaries))).toBe(true);
  const hash = async (name: string) =>
    createHash('sha256')
      .update(await readFile(name))
      .digest('hex');
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await hash(name)] as const)));
}

describe.each(ENGINES)('an escape from $name', ({ open }) => {
  let folder: Folder;
  let places: Places;
  let database: Database;
  let runtime: Runtime;
  let before: JsonObject;
  const said: string[] = [];
  beforeAll(async () => {
    folder = await temporaryFolder();
    places = await plant(folder);
    database = await open(places.file);
    before = await fingerprint(places);
    runtime = createRuntime({
      catalog: await compileCatalog(await loadTree(TREE)),
      open: async () => database,
      log: (line) => void said.push(JSON.stringify(line)),
    });
  });
  afterAll(async () => {
    await database?.close();
    await folder.remove();
  });

  const entryOf = (name: string): ToolEntry => {
    const entry = runtime.catalog.tools[name];
    if (entry === undefined) throw new Error(`there is no tool ${name}`);
    return entry;
  };

  /** By the built-in tool, which takes a client's SQL. */
  const ask = (sql: string) =>
    callEndpoint({ runtime, entry: entryOf('execute_sql_query'), args: { sql }, context: contextOf(ALICE) });

  /** As an author's own endpoint, as if no check had ever seen it. */
  const runAs = (sql: string, mode: SqlRequest['mode']) => {
    const entry = entryOf('ordinary');
    if (entry.source.language !== 'sql') throw new Error('ordinary is not in SQL');
    const source = { ...entry.source, sql, mode };
    return callEndpoint({ runtime, entry: { ...entry, source }, args: {}, context: contextOf(ALICE) });
  };

  describe.each(Object.entries(ESCAPES_BY_AIM))('to %s', (aim, escapes) => {
    it.each(escapes)('is refused: %s', async (attempt) => {
      const sql = placed(attempt, places);
      const asked = await errorOf(ask(sql));
      expect(['sql_rejected', 'arguments_invalid']).toContain(asked.code);
      const read = await errorOf(runAs(sql, 'read'));
      expect(['sql_rejected', 'sql_failed', 'database_readonly']).toContain(read.code);
      const closed = database.readonly || !OWN_BUSINESS.includes(aim);
      const written = closed ? await errorOf(runAs(sql, classify(sql).mode)) : read;
      expect(['sql_rejected', 'sql_failed', 'database_readonly']).toContain(written.code);
      for (const { message } of [asked, read, written]) expect(message).not.toContain(CANARY);
    });
  });

  it('has changed nothing, and left nothing', async () => {
    expect(await fingerprint(places)).toEqual(before);
    expect(said.join('\n')).not.toContain(CANARY);
    const { value } = await ask('SELECT count(*) AS n, max(id) AS most FROM items');
    expect(value).toEqual([{ n: 100, most: 99 }]);
  });
});
