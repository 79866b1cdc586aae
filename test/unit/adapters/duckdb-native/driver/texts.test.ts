import {
  DuckDBBigNumVector,
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBVarCharVector,
  DuckDBVector,
} from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadDriver } from '../../../../../adapters/duckdb-native/driver/driver.ts';
import { cpuMs } from '../../../cpu.ts';

/** The driver's own readers, before `loadDriver` replaces them. */
const { getItem } = DuckDBVarCharVector.prototype;
const { getItem: bignum } = DuckDBBigNumVector.prototype;
const { toArray } = DuckDBVector.prototype;
const MARK = '\uFEFF';

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  await loadDriver();
  instance = await DuckDBInstance.create();
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** Reads every row of a column: by ours, together and one by one, and by the driver's own readers. */
async function readAll(sql: string) {
  const result = await connection.run(sql);
  // Vectors remember what they have read, so each reader gets its own.
  const vectors = () =>
    Array.from({ length: result.chunkCount }, (_, at) => result.getChunk(at).getColumnVector(0));
  return {
    together: vectors().flatMap((vector) => vector.toArray()),
    single: vectors().flatMap((vector) =>
      Array.from({ length: vector.itemCount }, (_, at) => vector.getItem(at)),
    ),
    own: withOwnReaders(() => vectors().flatMap((vector) => vector.toArray())),
  };
}

function withOwnReaders<T>(read: () => T): T {
  const { prototype } = DuckDBVarCharVector;
  const ours = { getItem: prototype.getItem, toArray: prototype.toArray };
  Object.assign(prototype, { getItem, toArray });
  try {
    return read();
  } finally {
    Object.assign(prototype, ours);
  }
}

const MIXED = `CASE i % 13 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'short' WHEN 3 THEN 'twelve bytes'
  WHEN 4 THEN 'thirteen byte' WHEN 5 THEN repeat('ö', i % 40) WHEN 6 THEN repeat('👋', i % 9)
  WHEN 7 THEN 'a zero' || chr(0) || 'inside a text' WHEN 8 THEN 'line' || chr(10) || 'break "and quotes"'
  WHEN 9 THEN repeat('long ', i) WHEN 10 THEN 'ascii of some length ' || i WHEN 11 THEN '日本語のテキスト' || i
  ELSE 'again the same text in each row' END`;

// Requirements: rows.texts
it.each([
  ['mixed', `SELECT ${MIXED} FROM range(9_000) t(i)`],
  ['ASCII alone', `SELECT 'a text of some length ' || i FROM range(9_000) t(i)`],
  ['no ASCII', `SELECT 'ein längerer Text ' || i FROM range(9_000) t(i)`],
  ['short ones', `SELECT 'ö' || i FROM range(9_000) t(i)`],
  ['one constant', `SELECT 'the same text in each row' FROM range(9_000)`],
  ['NULL alone', `SELECT NULL::VARCHAR FROM range(3_000)`],
  ['none', `SELECT 'a text that is not there' FROM range(0)`],
  ['sorted', `SELECT x FROM (SELECT ${MIXED} AS x FROM range(5_000) t(i)) ORDER BY x NULLS FIRST`],
  ['of a dictionary', `SELECT x FROM (SELECT 'country number ' || i % 7 AS x FROM range(5_000) t(i))`],
  ['JSON', `SELECT to_json({ a: ${MIXED} }) FROM range(3_000) t(i)`],
  ['lists', `SELECT [${MIXED}, 'a second text in the list', NULL] FROM range(3_000) t(i)`],
  ['structs', `SELECT { a: ${MIXED}, b: [${MIXED}] } FROM range(3_000) t(i)`],
  ['maps', `SELECT MAP { 'a longer key ' || i: ${MIXED} } FROM range(3_000) t(i)`],
])('texts read together are those that the driver reads one by one: %s', async (_, sql) => {
  const { together, single, own } = await readAll(sql);
  expect(together).toEqual(own);
  expect(single).toEqual(own);
});

it('a byte order mark at the start of a text stays', async () => {
  const texts = [`${MARK}short`, `${MARK}a longer text with a mark`, MARK, `inside ${MARK} of a text`];
  const list = texts.map((text) => `'${text}'`).join(', ');
  const { together, single } = await readAll(`SELECT unnest([${list}])`);
  expect(together).toEqual(texts);
  expect(single).toEqual(texts);
});

it('reads integers of any number of digits, each sign and NULL as the driver does', async () => {
  const sql = `SELECT CASE WHEN i % 7 = 0 THEN NULL ELSE (CASE WHEN i % 2 = 0 THEN '-' ELSE '' END || repeat('9081726354', i // 3))::BIGNUM END
    FROM range(3, 300) t(i)`;
  const ours = (await connection.runAndReadAll(sql)).getColumns();
  const replaced = DuckDBBigNumVector.prototype.getItem;
  DuckDBBigNumVector.prototype.getItem = bignum;
  try {
    expect(ours).toEqual((await connection.runAndReadAll(sql)).getColumns());
  } finally {
    DuckDBBigNumVector.prototype.getItem = replaced;
  }
});

it('reads an integer of 100,000 digits in time', async () => {
  const result = await connection.runAndReadAll("SELECT repeat('9', 100000)::BIGNUM FROM range(50)");
  const begun = cpuMs();
  expect(result.getColumns()[0]).toHaveLength(50);
  // The driver's own reader took three seconds and more.
  expect(cpuMs() - begun).toBeLessThan(1_500);
});
