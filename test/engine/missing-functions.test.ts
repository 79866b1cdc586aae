import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import type { Database } from '../../src/ports.ts';
import { platformIssue } from '../../src/quality/platform.ts';
import { callOf, createFixture, errorOf, type Fixture, read, removeFixture } from './fixture.ts';

let fixture: Fixture;
let native: Database;
let wasm: Database;

beforeAll(async () => {
  fixture = await createFixture();
  native = await openNative({ path: fixture.shop, readonly: true });
  wasm = await openWasm({ ...(await compileEngine()), file: pathFile(fixture.shop) });
  // What is added for the first statement that misses it.
  await read(wasm, "SELECT json('1'), now() - INTERVAL 1 DAY");
});

afterAll(async () => {
  await native.close();
  await wasm.close();
  await removeFixture(fixture);
});

/** What an engine lists of its functions, each as one text. */
async function listed(database: Database, columns: string): Promise<ReadonlySet<string>> {
  const sql = `SELECT DISTINCT concat_ws(' ', ${columns}) AS entry FROM duckdb_functions() WHERE schema_name IN ('main', 'pg_catalog') AND database_name <> 'temp'`;
  const { rows } = await database.run({ sql, values: [], mode: 'read', maxRows: 10_000 }, callOf());
  return new Set(rows.map(({ entry }) => String(entry)));
}

async function onlyIn(one: Database, other: Database, columns: string): Promise<readonly string[]> {
  const known = await listed(other, columns);
  return [...(await listed(one, columns))].filter((entry) => !known.has(entry)).sort();
}

/** Everything that only native has. A new version of DuckDB that changes this needs a look at `REPLACEMENTS` in src/quality/platform.ts. */
const MISSING = `
pragma add_parquet_key
table check_peg_parser
table disable_peg_parser
table enable_peg_parser
table icu_calendar_names
scalar icu_sort_key
scalar json_deserialize_sql
table json_each
pragma json_execute_serialized_sql
table json_execute_serialized_sql
macro json_group_structure
scalar json_serialize_plan
scalar json_serialize_sql
scalar json_structure
table json_tree
table parquet_bloom_probe
table parquet_file_metadata
table parquet_full_metadata
table parquet_kv_metadata
table parquet_metadata
table parquet_scan
table parquet_schema
table pg_timezone_names
table read_json
table read_json_auto
table read_json_objects
table read_json_objects_auto
table read_ndjson
table read_ndjson_auto
table read_ndjson_objects
table read_parquet
table sql_auto_complete
scalar variant_bytes_to_variant
scalar variant_to_parquet_variant
`
  .trim()
  .split('\n')
  .sort();

const CALLER = [
  ...['get_request_header', 'get_request_headers_json', 'get_user_email', 'get_user_external_token'],
  ...['get_user_provider', 'get_username'],
];

/** What differs in how a function can be called that both have; of the readers of files, which no endpoint reaches, nothing. */
const SIGNATURES = "function_name, parameter_types, coalesce(varargs, ''), coalesce(return_type, '')";
const READERS = /^(?:read_|parquet_|sniff_csv|enable_logging|enable_profiling)/;

describe('the functions of both engines', () => {
  it('differ by these only', async () => {
    const missing = await onlyIn(native, wasm, 'function_type, function_name');
    expect(missing.filter((entry) => !entry.startsWith('scalar icu_collate_'))).toEqual(MISSING);
    expect(missing.length).toBeGreaterThan(MISSING.length + 100);
    expect(await onlyIn(wasm, native, 'function_name')).toEqual(CALLER);
  });

  it('are called in the same ways', async () => {
    const names = new Set(MISSING.map((entry) => entry.split(' ')[1]));
    const isShared = (entry: string): boolean => {
      const name = entry.split(' ')[0] ?? '';
      return (
        !names.has(name) && !CALLER.includes(name) && !name.startsWith('icu_collate_') && !READERS.test(name)
      );
    };
    expect((await onlyIn(native, wasm, SIGNATURES)).filter(isShared)).toMatchInlineSnapshot(`
      [
        "generate_series [TIMESTAMP WITH TIME ZONE, TIMESTAMP WITH TIME ZONE, INTERVAL]  ",
        "range [TIMESTAMP WITH TIME ZONE, TIMESTAMP WITH TIME ZONE, INTERVAL]  ",
      ]
    `);
    expect((await onlyIn(wasm, native, SIGNATURES)).filter(isShared)).toMatchInlineSnapshot(`[]`);
  });
});

const WORKERS = { platform: 'cloudflare-workers', engine: 'duckdb-wasm' } as const;

async function problemOf(sql: string) {
  return platformIssue(await errorOf(wasm.prepare(sql, 'read')), WORKERS);
}

/** The others are refused by name before any engine sees them. */
const CALLED = MISSING.filter((entry) => !/^pragma|json_execute|(?:en|dis)able_peg_parser/.test(entry));

describe('a statement with what the wasm engine has not', () => {
  it.each(CALLED)('names it: %s', async (entry) => {
    const [kind, name = ''] = entry.split(' ');
    const problem = await problemOf(kind === 'table' ? `SELECT * FROM ${name}()` : `SELECT ${name}()`);
    expect(problem?.message).toMatch(
      new RegExp(
        `^cloudflare-workers \\(duckdb-wasm\\) does not have the function ${name}, .* extension (json|icu|parquet|autocomplete)`,
      ),
    );
    expect(problem?.word).toBe(name);
    expect(problem?.fix).toContain('svc serve');
  });

  it.each([
    ["SELECT 'a' COLLATE de", 'de', 'the collation de', 'COLLATE NOACCENT'],
    ["SELECT now() AT TIME ZONE 'Europe/Zurich'", 'Europe/Zurich', "AT TIME ZONE 'Europe/Zurich'", 'Use UTC'],
    ["SELECT timezone('Asia/Tokyo', now())", 'Asia/Tokyo', "AT TIME ZONE 'Asia/Tokyo'", 'Use UTC'],
    [
      "SELECT time_bucket(INTERVAL 1 DAY, now(), 'UTC')",
      'time_bucket',
      'time_bucket of these arguments',
      'Omit the zone',
    ],
    [
      "SELECT make_timestamptz(2024, 1, 1, 0, 0, 0, 'UTC')",
      'make_timestamptz',
      'make_timestamptz of these arguments',
      'Omit the zone',
    ],
    ["SELECT timezone('UTC', '12:00+02'::TIMETZ)", 'timezone', 'timezone of these arguments', 'svc serve'],
    ["SELECT strftime(now(), '%H:%M %Z')", '%Z', "strftime with '%Z'", 'Write UTC in the format'],
    ["SELECT strptime('2024 UTC', '%Y %Z')", '%Z', "strptime with '%Z'", "Use '%z'"],
    [
      'SELECT * FROM range(now(), now(), INTERVAL 1 DAY)',
      'range',
      'range of timestamps with time zone as a table',
      'unnest(range(a, b, step))',
    ],
    [
      "SELECT * FROM json_each('[1]')",
      'json_each',
      'the function json_each',
      "unnest(json_extract(x, '$[*]'))",
    ],
    [
      "SELECT * FROM read_parquet('x.parquet')",
      'read_parquet',
      'the function read_parquet',
      'svc build --load',
    ],
  ])('says what does instead: %s', async (sql, word, what, instead) => {
    const problem = await problemOf(sql);
    expect(problem?.message).toContain(`does not have ${what}`);
    expect(problem?.word).toBe(word);
    expect(problem?.fix).toContain(instead);
  });

  it.each([
    "SELECT list(v) FROM (SELECT unnest(json_extract('[1, 2]', '$[*]')) AS v)",
    `SELECT list(v) FROM (SELECT unnest(json_keys('{"a": 1}')) AS v)`,
    "SELECT list(v) FROM (SELECT unnest(range(TIMESTAMPTZ '2024-01-01', TIMESTAMPTZ '2024-01-03', INTERVAL 1 DAY)) AS v)",
    "SELECT 'Ä' COLLATE NOACCENT = 'a', 'A' COLLATE NOCASE = 'a'",
    "SELECT timezone('utc', TIMESTAMPTZ '2024-01-01 10:00:00+02:00')",
  ])('is answered the same by what does instead: %s', async (sql) => {
    expect((await read(wasm, sql)).rows).toEqual((await read(native, sql)).rows);
  });
});
