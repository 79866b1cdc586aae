import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { Database } from '../../src/ports.ts';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { callOf, errorOf, type Folder, temporaryFolder } from './fixture.ts';
import { answersOf } from './restricted-answers.ts';

const OPEN = `${SITE}sql_tools:\n  enabled: true\n`;
const RULES = `${OPEN}  tables: [{ name: docs }]\n`;
const SEED = 'CREATE TABLE vault AS SELECT 4711 AS code; CREATE TABLE docs AS SELECT 1 AS id';

/** Statements in which a lexer other than DuckDB's may take a part for a text. */
const DISGUISES: readonly ((part: string) => string)[] = [
  (part) => `SELECT 1_$$, ${part} AS z$$`,
  (part) => `SELECT 1__2$$, ${part} AS z$$`,
  (part) => `SELECT 1.5_$$, ${part} AS z$$`,
  (part) => `SELECT 1_000_$a$, ${part} AS z$a$`,
  (part) => `SELECT 1e5_$$, ${part} AS z$$`,
  (part) => `SELECT .5_$$, ${part} AS z$$`,
  (part) => `SELECT 1 AS a$$, ${part} AS z$$`,
  (part) => `SELECT 1_$$) AS q(x), (SELECT 2, ${part} AS z$$`,
  (part) => `SELECT 1 AS a$$, 2 AS x\u00a0$$, ${part} AS z$$`,
  (part) => `SELECT E'\\'' AS a, 2 AS x\u00a0$$, ${part} AS z$$, '' AS q`,
  (part) => `SELECT E'\\'' AS a, 2 AS x\u3000$b$, ${part} AS z$b$, '' AS q`,
];
/** Parts that no caller may use, with or without rules on tables. */
const PARTS = [
  "(SELECT a FROM query('SELECT 4711 AS a'))",
  "(SELECT count(*) FROM query('FROM enable' || '_logging(''QueryLog'')'))",
  "(SELECT string_agg(name || '4711') FROM duckdb_settings())",
];
/** Parts that no caller may use under the rules. */
const RULED_PARTS = [
  '(SELECT max(code) FROM data.main.vault)',
  "(SELECT string_agg(sql || '4711') FROM duckdb_tables())",
];
/** Statements in which DuckDB loses track of quotes, and would take the later blank for a letter. */
const BLANKS: readonly (readonly [sql: string, row: object])[] = [
  ["SELECT E'\\'' AS a, 2 AS x\u00a0, 3 AS y", { a: "'", x: 2, y: 3 }],
  ["SELECT E'\\'' AS a,\u20032\u3000AS\u202fx", { a: "'", x: 2 }],
  ['SELECT 1 AS tax$, \'\u00a0\' AS\u00a0"b\u00a0c"\ufeff', { tax$: 1, 'b\u00a0c': '\u00a0' }],
];
const hidden = (parts: readonly string[]) =>
  parts.flatMap((part) => DISGUISES.map((disguise) => disguise(part)));

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])(
  'SQL that looks like a text on %s',
  (engine) => {
    let ruled: Served;
    let open: Served;
    beforeAll(async () => {
      ruled = await serveTree({ 'svc-site.yml': RULES }, SEED, engine);
      open = await serveTree({ 'svc-site.yml': OPEN }, SEED, engine);
    });
    afterAll(() => Promise.all([ruled.close(), open.close()]));

    const isRefused = async (served: Served, sql: string): Promise<void> => {
      const [answer] = await answersOf([served], ALICE, sql);
      expect(answer).toEqual({ error: expect.stringMatching(/^sql_rejected/) });
      expect(JSON.stringify(answer)).not.toContain('4711');
    };

    it.each(hidden([...PARTS, ...RULED_PARTS]))('is refused under rules: %j', (sql) => isRefused(ruled, sql));

    it.each(BLANKS)('has Unicode blanks for blanks, whatever stands before them: %j', async (sql, row) => {
      expect(await answersOf([open, ruled], ALICE, sql)).toEqual([{ value: [row] }, { value: [row] }]);
    });

    it.each(hidden(PARTS))('is refused without rules: %j', (sql) => isRefused(open, sql));
  },
);

describe('the second check of the native engine', () => {
  let folder: Folder;
  let database: Database;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await runScript(folder.file('data.duckdb'), SEED);
    database = await openNative({ path: folder.file('data.duckdb'), readonly: true });
  });
  afterAll(async () => {
    await database?.close();
    await folder.remove();
  });

  const ask = (sql: string) =>
    database.run({ sql, values: [], mode: 'read', maxRows: 10, confined: true }, callOf({}));

  it.each([
    'SELECT count(*) AS n FROM duckdb_settings()',
    "SELECT getenv('HOME') AS home",
    "SELECT ('HOME').getenv() AS home",
    'SELECT count(*) AS n FROM pg_settings',
    'SELECT 1 AS a) AS q, duckdb_settings() AS s, (SELECT 2 AS b',
  ])('refuses %j without the check of its text', async (sql) => {
    expect(await errorOf(ask(sql))).toMatchObject({ code: 'sql_rejected' });
  });

  it.each([
    'DESCRIBE docs',
    'SHOW TABLES',
    'SUMMARIZE docs',
    'FROM docs PIVOT (count(*) FOR id IN (1, 2))',
    "SELECT \"id\", INTERVAL 1 DAY, [x FOR x IN [1]], 'a' LIKE 'b', id + 1, rank() OVER () FROM docs",
    'SELECT id FROM docs WHERE id < 1e309',
    'SELECT id, -1e309 AS "NaN", \'\\" -Infinity "\' AS "a""Infinity" FROM docs WHERE id > -1e309::FLOAT',
    'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3) FROM r',
  ])('lets %j run', async (sql) => {
    expect((await ask(sql)).rows.length).toBeGreaterThan(0);
  });

  it("leaves errors in DuckDB's words", async () => {
    expect((await errorOf(ask('SELECT FROM'))).message).toMatch(/^Parser Error: syntax error/);
    expect((await errorOf(ask('PIVOT docs ON id USING count(*)'))).message).toMatch(/A PIVOT must name its/);
  });
});
