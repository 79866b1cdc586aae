import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { bytesFile, openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import type { Database } from '../../src/ports.ts';
import { errorOf, type Folder, read, temporaryFolder } from './fixture.ts';

/*
 * An exception of DuckDB's C++ passes through our functions, and destroys on its way what the callee owns. A result that
 * is destroyed once more here corrupts the heap: silently at first, then with a trap in another statement. So every way
 * to fail is taken again and again, beside statements that take memory and give it back.
 */

/** How often each statement fails; a move to another DuckDB runs this with 3000. */
const ROUNDS = Number(process.env.SVC_TEST_ROUNDS ?? 60);

const FAILING = `
SELECT from_json('{}', '{"a": "NOPE"}')
SELECT from_json('{}', '{"a": ["STRUCT(x NOPE)"]}')
SELECT from_json('{}', '{"a": ')
SELECT from_json('{}', '{}')
SELECT json_transform_strict('{"a": "a text that is longer than twelve bytes"}', '{"a": "INTEGER"}')
SELECT json_transform_strict('{"a": "a text that is longer than twelve bytes"}', '{"a": "DATE"}')
SELECT json_transform_strict('{"a": 1}', '{"b": "INTEGER"}')
SELECT '{"a"'::JSON
SELECT '{"a"'::JSON::INTEGER
SELECT ('{"a"' || i)::JSON FROM numbers
SELECT '{"a":1}'::JSON::INTEGER
SELECT '"x"'::JSON::DATE
SELECT '[1,"x"]'::JSON::INTEGER[]
SELECT '{"a":1}'::JSON::JSON[]
SELECT '{"a":"x"}'::JSON::STRUCT(a INTEGER)
SELECT '{"a":"x"}'::JSON::MAP(VARCHAR, INTEGER)
SELECT '[1,2]'::JSON::INTEGER[3]
SELECT '"x"'::JSON::ENUM('a','b')
SELECT '1e400'::JSON::DECIMAL(3,1)
SELECT '{}' -> '$['
SELECT '{' -> '$.a'
SELECT '{}' -> (CASE WHEN i > 5 THEN '$[' ELSE 'id' END) FROM numbers
SELECT json_extract('{}', ['$.a', '$.*'])
SELECT json_extract('{}', [NULL])
SELECT json_object(1, 2)
SELECT json_object('a')
SELECT to_json()
SELECT to_json(1, 2)
SELECT array_to_json(1)
SELECT row_to_json(1)
SELECT json_merge_patch('{', '{}')
SELECT json_contains('{', '1')
SELECT json_pretty('{')
SELECT json_array_length('{')
SELECT json_quote()
SELECT json_group_array(1) OVER (
SELECT json('{')
SELECT json_group_object(1, 2, 3)
SELECT date_trunc('nope', now())
SELECT date_part('nope', now())
SELECT date_part(['year', 'nope'], now())
SELECT date_diff('nope', now(), now())
SELECT date_sub('nope', now(), now())
SELECT strftime(now(), '%Z')
SELECT strftime(now(), '%&')
SELECT strftime(now(), i::VARCHAR) FROM numbers
SELECT strptime('x', '%Z')
SELECT strptime('x', '%Y')
SELECT strptime('x', '%&')
SELECT strptime('x', ['%Y', '%Z'])
SELECT try_strptime('x', '%&')
SELECT time_bucket(INTERVAL '-1 day', now())
SELECT time_bucket(INTERVAL '1 month 1 day', now())
SELECT time_bucket(INTERVAL 1 DAY, now(), 'UTC')
SELECT make_timestamptz(99999999, 1, 1, 0, 0, 0.0)
SELECT make_timestamptz(2024, 13, 1, 0, 0, 0.0)
SELECT make_timestamptz(2024, 1, 1, 0, 0, 0.0, 'UTC')
SELECT range(now(), 'infinity'::TIMESTAMPTZ, INTERVAL 1 DAY)
SELECT generate_series(now(), now() + INTERVAL 1 DAY, INTERVAL '1 day -1 hour')
SELECT now() + INTERVAL '300000 years'
SELECT age(now(), 1)
SELECT last_day('infinity'::TIMESTAMPTZ + INTERVAL 1 DAY), error('x')
SELECT epoch(now(), 1)
SELECT 'infinity'::TIMESTAMPTZ::DATE + 1, error('x')
SELECT timezone('Europe/Zurich', now())
SELECT timezone(i::VARCHAR, now()) FROM numbers
SELECT now() AT TIME ZONE 'Nowhere'
SELECT timezone('UTC', '12:00+02'::TIMETZ)
SELECT timezone_hour('x')
SELECT '294247-01-10 04:00:54.775806+00'::TIMESTAMPTZ + INTERVAL 1 DAY
SELECT yearweek(now(), 2)
SELECT isodow('x'::TIMESTAMPTZ)
SELECT get_request_header()
SELECT get_request_header(1, 2)
SELECT get_username(1)
SELECT today(1)
SELECT nope(1)
SELECT 'x'::DATE
SELECT 1::NOPE
SELECT error('a text that is longer than twelve bytes')
SELECT i FROM nope
SELECT (SELECT i FROM numbers)
SELECT list_reduce([1], (x, y, z, w) -> x)
SELECT json_extract('{}', '$.a', 'b', 'c')
`
  .trim()
  .split('\n');

const NUMBERS = 'CREATE TABLE numbers AS SELECT i FROM range(1000) r(i)';

/** Statements that succeed, of all parts of the engine that take memory of their own. */
const HEALTHY = [
  `SELECT sum(length(to_json({'i': i, 'l': [i, NULL], 't': 'text ' || i}))) AS v FROM numbers`,
  `SELECT sum(from_json('{"a": ' || i || '}', '{"a": "INTEGER"}').a) AS v FROM numbers`,
  `SELECT count(DISTINCT date_trunc('month', TIMESTAMPTZ '2024-01-01' + to_days(i::INTEGER))) AS v FROM numbers`,
];

let folder: Folder;
let database: Database;
beforeAll(async () => {
  folder = await temporaryFolder();
  const path = folder.file('data.duckdb');
  await runScript(path, NUMBERS);
  const file = bytesFile(await readFile(path));
  database = await openWasm({ ...(await compileEngine()), file, memoryMb: 32 });
});
afterAll(async () => {
  await database?.close();
  await folder.remove();
});

const valuesOf = (statements: readonly string[]) =>
  Promise.all(statements.map(async (sql) => (await read(database, sql)).rows[0]?.v));

it(`statements that fail, ${ROUNDS} times each, leave the engine as it was`, {
  timeout: 60_000 + ROUNDS * 1000,
}, async () => {
  const healthy = await valuesOf(HEALTHY);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const sql of FAILING) {
      const { code, message } = await errorOf(read(database, sql));
      expect(`${code} round ${round}: ${sql} ${code === 'sql_failed' ? '' : message}`).toBe(
        `sql_failed round ${round}: ${sql} `,
      );
    }
    expect(await valuesOf(HEALTHY)).toEqual(healthy);
  }
});
