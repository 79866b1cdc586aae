import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import { createRuntime, type Runtime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { Database } from '../../src/ports.ts';
import { ALICE, loadTree, SITE } from '../unit/call/project.ts';
import { answersOf } from './restricted-answers.ts';

const RULES = `${SITE}sql_tools: { enabled: true, tables: [{ name: docs }] }\n`;

const ENGINES: { readonly [name: string]: (path: string) => Promise<Database> } = {
  wasm: (path) => openWasmPool({ path, workers: 1 }),
  native: (path) => openNative({ path, readonly: true }),
};

describe.each(Object.keys(ENGINES))(
  'a database whose name has a blank, under table rules, on %s',
  (engine) => {
    let folder: string;
    let database: Database;
    let runtime: Runtime;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-blanks-'));
      const path = join(folder, 'my shop.duckdb');
      await runScript(
        path,
        'CREATE TABLE vault AS SELECT 4711 AS code; CREATE TABLE docs AS SELECT 1 AS id; CHECKPOINT',
      );
      const opened = await ENGINES[engine]?.(path);
      if (opened === undefined) throw new Error(engine);
      database = opened;
      const catalog = await compileCatalog(await loadTree({ 'svc-site.yml': RULES }));
      runtime = createRuntime({ catalog, open: async () => database, log: () => {} });
    });
    afterAll(async () => {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    });

    // DuckDB replaces Unicode blanks before it parses, and loses track of quotes at escapes and at `$` in names.
    it.each([
      'SELECT code FROM "my shop".vault',
      'SELECT code FROM "my\u00a0shop".vault',
      'SELECT E\'\\\' "\' AS x, code FROM "my\u00a0shop".vault',
      'SELECT E\'\\\' "\' AS x, code FROM "my\u2003shop"."vault"',
      "SELECT 1 AS x$q$, '$q$' AS y, ' \"' AS z, code FROM \"my\u00a0shop\".vault",
    ])('keeps a table without a rule from %j', async (sql) => {
      const served = { runtime, records: [], lines: [], close: async () => {} };
      const [answer] = await answersOf([served], ALICE, sql);
      expect(answer).toHaveProperty('error');
      expect(JSON.stringify(answer)).not.toContain('4711');
    });
  },
);
