import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadDriver } from '../../adapters/duckdb-native/driver/driver.ts';
import { confine, confineToTables } from '../../adapters/duckdb-native/query/confine.ts';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { answersOf } from './restricted-answers.ts';

const THINGS = `CREATE TYPE lake.mood AS ENUM ('glad'); CREATE TABLE lake.sales AS SELECT 5 AS n;
  CREATE SEQUENCE lake.ids; CREATE MACRO lake.most() AS 5`;
const NAMES = ['lake.main.mood', '"lake.main.mood"', 'lake.main.sales', 'lake.main.ids', 'lake.main.most'];

/** A DuckDB with a database beside it. */
async function openBeside(name: string, things: string): Promise<DuckDBConnection> {
  const { openInstance } = await loadDriver();
  const connection = await (await openInstance(':memory:')).connect();
  await connection.run(`ATTACH ':memory:' AS ${name}; ${things}`);
  return connection;
}

/** Functions that change something, wait, or answer differently each time. */
const OTHERS = '.*sleep.*|(force_)?checkpoint|(en|dis)able_.*|random|.*uuid.*|.*now|icu_collate_.*';

/** The functions whose answer to a text tells whether something has the name that is in the text. */
async function findResolving(): Promise<readonly string[]> {
  const [full, empty, other] = [
    await openBeside('lake', THINGS),
    await openBeside('lake', ''),
    await openBeside('pond', ''),
  ];
  const known = await full.runAndReadAll(
    `SELECT DISTINCT function_name, function_type IN ('table', 'table_macro', 'pragma') FROM duckdb_functions()
     WHERE database_name = 'system' AND function_name SIMILAR TO '[a-zA-Z].*'
       AND function_name NOT SIMILAR TO '${OTHERS}'`,
  );
  const found = new Set<string>();
  for (const [name, isTable] of known.getRows()) {
    for (const text of [...NAMES, 'lake']) {
      for (const args of [`'${text}'`, `'${text}', '${text}'`, `'"1"', '${text}'`]) {
        const sql = `${isTable ? 'FROM' : 'SELECT'} ${name}(${args})`;
        const answer = await answerOf(text === 'lake' ? other : full, sql);
        if (answer !== (await answerOf(empty, sql))) found.add(String(name));
      }
    }
  }
  return [...found].toSorted();
}

async function answerOf(connection: DuckDBConnection, sql: string): Promise<string> {
  try {
    return JSON.stringify((await connection.runAndReadAll(sql)).getRowsJson());
  } catch (thrown) {
    return String(thrown);
  }
}

it('refuses each function that finds something by the name in a text', { timeout: 300_000 }, async () => {
  const resolving = await findResolving();
  expect(resolving).toEqual(expect.arrayContaining(['from_json', 'make_type', 'currval', 'get_block_size']));
  const connection = await openBeside('lake', THINGS);
  const rows = await connection.runAndReadAll('SELECT DISTINCT lower(function_name) FROM duckdb_functions()');
  const reach = {
    builtIns: new Set(rows.getRows().map(String)),
    attached: { open: [], hidden: ['lake'] },
  };
  // It takes the number of a type.
  for (const name of [...resolving, 'format_type']) {
    const refused = { code: 'sql_rejected', message: expect.stringMatching(`uses "?${name}`) };
    const sql = `SELECT ${name}('a')`;
    await expect(confine(connection, sql, reach)).rejects.toMatchObject(refused);
    await expect(confineToTables(connection, sql, [])).rejects.toMatchObject(refused);
  }
});

const OPEN = `${SITE}sql_tools:\n  enabled: true\n`;
const SEED = "CREATE TYPE mood AS ENUM ('b4711'); CREATE TABLE docs AS SELECT 1 AS id";

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])(
  'a type named by a text on %s',
  (engine) => {
    let open: Served;
    let ruled: Served;
    beforeAll(async () => {
      open = await serveTree({ 'svc-site.yml': OPEN }, SEED, engine);
      ruled = await serveTree({ 'svc-site.yml': `${OPEN}  tables: [{ name: docs }]\n` }, SEED, engine);
    });
    afterAll(() => Promise.all([open.close(), ruled.close()]));

    it.each(['from_json', 'from_json_strict', 'json_transform', 'json_transform_strict'])(
      'is out of reach of %s under rules',
      async (name) => {
        const sql = `SELECT enum_range(${name}('"b4711"', '"\\"data\\".main.mood"')) AS v`;
        const refused = { error: expect.stringMatching(/^sql_rejected: The statement (?:uses|was refused)/) };
        expect(await answersOf([open, ruled], ALICE, sql)).toEqual([{ value: [{ v: ['b4711'] }] }, refused]);
      },
    );
  },
);
