import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import { enforceReadOnly } from '../../src/call/caller-statement.ts';
import type { Database } from '../../src/ports.ts';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { callOf, errorOf, type Folder, temporaryFolder } from './fixture.ts';
import { answersOf } from './restricted-answers.ts';

const OPEN = `${SITE}sql_tools:\n  enabled: true\n`;
const RULES = `${OPEN}  tables: [{ name: docs }]\n`;
const SEED = 'CREATE TABLE docs AS SELECT 1 AS id';
const STATE = "(SELECT first(repeat('a', 50)::BLOB) EXPORT_STATE) AS q(s)";

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])(
  "addresses of the engine's memory on %s",
  (engine) => {
    let served: readonly Served[];
    beforeAll(async () => {
      served = await Promise.all(
        [OPEN, RULES].map((site) => serveTree({ 'svc-site.yml': site }, SEED, engine)),
      );
    });
    afterAll(() => Promise.all(served.map((one) => one.close())));

    // An exported state has a pointer, and DuckDB takes any bytes of its length for one.
    it.each([
      `SELECT hex(s::BLOB) AS address FROM ${STATE}`,
      `SELECT hex(finalize(s)) AS content FROM ${STATE}`,
      `SELECT hex(combine(s, s::BLOB)::BLOB) AS content FROM ${STATE}`,
      'SELECT sum(1::BIGNUM) FILTER (true) EXPORT_STATE AS s',
      'FROM arrow_scan(NULL, NULL, NULL)',
      'FROM arrow_scan_dumb(NULL, NULL, NULL)',
    ])('are kept from %j', async (sql) => {
      for (const answer of await answersOf(served, ALICE, sql))
        expect(answer).toEqual({
          error: expect.stringMatching(/^sql_rejected: The statement (?:uses|was refused)/),
        });
    });
  },
);

const ENGINES: { readonly [name: string]: (path: string) => Promise<Database> } = {
  wasm: (path) => openWasmPool({ path, workers: 1 }),
  native: (path) => openNative({ path, readonly: true }),
};

describe.each(Object.keys(ENGINES))('the functions of %s', (engine) => {
  let folder: Folder;
  let database: Database;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await runScript(folder.file('data.duckdb'), SEED);
    const opened = await ENGINES[engine]?.(folder.file('data.duckdb'));
    if (opened === undefined) throw new Error(engine);
    database = opened;
  });
  afterAll(async () => {
    await database?.close();
    await folder.remove();
  });

  const run = (sql: string, confined: boolean) =>
    database.run({ sql, values: [], mode: 'read', maxRows: 1000, confined }, callOf({}));

  it('that take addresses are refused to callers', async () => {
    const { rows } = await run(
      "SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE parameter_types::VARCHAR ~ '.*(POINTER|STATE).*'",
      false,
    );
    const names = rows.map(({ name }) => String(name)).toSorted();
    expect(names).toEqual(['arrow_scan', 'arrow_scan_dumb', 'combine', 'finalize']);
    for (const name of names) expect(() => enforceReadOnly(`SELECT ${name}(1)`)).toThrow(name);
  });

  const POINT = "st_astext(st_geomfromwkb(from_hex('0101000000000000000000F03F0000000000000040'))) AS point";
  // It has 2^28 points of 16 bytes each, and the product is 0 in 32 bits.
  const ENDLESS = "st_astext(st_geomfromwkb(from_hex('010200000001000010000000000000F03F0000000000000040')))";

  it('read no geometry beyond its end', async () => {
    expect(await errorOf(run(`SELECT ${ENDLESS} AS line`, true))).toMatchObject({
      code: engine === 'wasm' ? 'sql_rejected' : 'sql_failed',
    });
    expect((await run(`SELECT ${POINT}`, engine !== 'wasm')).rows).toEqual([{ point: 'POINT (1 2)' }]);
  });

  it.runIf(engine === 'native')('give no state if only the second check sees the statement', async () => {
    const error = await errorOf(run('SELECT sum(id) EXPORT_STATE AS s FROM docs', true));
    expect(error).toMatchObject({ code: 'sql_rejected' });
  });
});
