import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import { enforceReadOnly } from '../../src/call/caller-statement.ts';
import type { JsonValue } from '../../src/json.ts';
import type { Database } from '../../src/ports.ts';
import type { SqlValue } from '../../src/sql-value.ts';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { callOf, errorOf, type Folder, temporaryFolder } from './fixture.ts';
import { answersOf } from './restricted-answers.ts';

const OPEN = `${SITE}sql_tools:\n  enabled: true\n`;
const RULES = `${OPEN}  tables: [{ name: docs }]\n`;
const SEED = `CREATE TABLE docs AS SELECT 1 AS id;
CREATE TABLE days AS SELECT 1 AS id, t AS ts, t::DATE AS d, t::TIMESTAMP_NS AS ns, t::TIMESTAMPTZ AS tz
  FROM (SELECT TIMESTAMP '2024-02-29 01:02:03.123456' AS t);
CREATE VIEW stamps AS SELECT strftime(ts, '%n|') AS v FROM days;
CREATE MACRO stamp(t, f) AS strftime(t, f);
CREATE MACRO stamp_rows(f) AS TABLE SELECT strftime(ts, f) AS v FROM days;
CREATE TABLE stamped (ts TIMESTAMP, v VARCHAR GENERATED ALWAYS AS (strftime(ts, '%n|')));
INSERT INTO stamped VALUES (TIMESTAMP '2024-02-29');
`;
const REFUSED = /nothing may follow %n/;
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
      'SELECT hash([1, NULL, 2]::VARIANT) AS v',
      "SELECT hex(create_sort_key([1::HUGEINT, NULL, 2]::VARIANT, 'ASC NULLS FIRST')) AS v",
      'SELECT hash(CAST([1, NULL] AS STRUCT(a VARIANT)[])) AS v',
      'SELECT hash(variant_normalize([1, NULL, 2])) AS v',
      "SELECT hash(COALESCE(from_json('null', '\"VARIANT\"'), [1, NULL, 2])) AS v",
      "SELECT hash(COALESCE(from_json('1', '\"VAR' || 'IANT\"'), [1, NULL, 2])) AS v",
      'FROM arrow_scan(NULL, NULL, NULL)',
      'FROM arrow_scan_dumb(NULL, NULL, NULL)',
    ])('are kept from %j', async (sql) => {
      for (const answer of await answersOf(served, ALICE, sql))
        expect(answer).toEqual({
          error: expect.stringMatching(
            /^sql_rejected: (?:The statement (?:uses|was refused)|Binder Error: Cannot read a value of type VARIANT)/,
          ),
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

  const run = (sql: string, confined: boolean, values: readonly SqlValue[] = []) =>
    database.run({ sql, values, mode: 'read', maxRows: 1000, confined }, callOf({}));

  it('that take or make a VARIANT are refused to callers', async () => {
    const { rows } = await run(
      "SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE concat(parameter_types::VARCHAR, return_type) LIKE '%VARIANT%'",
      false,
    );
    expect(rows.length).toBeGreaterThan(2);
    for (const { name } of rows) expect(() => enforceReadOnly(`SELECT ${name}(1)`)).toThrow(String(name));
  });

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

  // DuckDB makes room for nine digits, writes them, and goes on behind the sixth.
  describe('that write nanoseconds', () => {
    const TYPES = ['ts', 'd', 'ns', 'tz', 'ts::TIMESTAMP_S', 'ts::TIMESTAMP_MS'];
    const FORMATS = [
      "'%n%n'",
      "'%n|'",
      "'%Y %n.'",
      "'%%%n%Y'",
      "repeat('%' || 'n', 60)",
      "chr(0) || '%n%n'",
      "'%n' || chr(10)",
      "'%n' || chr(0)",
      `'"%n|"'::JSON`,
      "'%n|'::ENUM('%Y', '%n|')",
      "(chr(0) || '%n|')::VARIANT",
      "CASE WHEN true THEN '%n|' END",
    ];

    it.each([
      ...TYPES.flatMap((value) => [`SELECT strftime(${value}, '%n|')`, `SELECT strftime('%n|', ${value})`]),
      ...FORMATS.flatMap((format) => [`SELECT strftime(ts, ${format})`, `SELECT strftime(${format}, d)`]),
      "SELECT ts.strftime('%n|')",
      "SELECT main.strftime(ts, '%n|')",
      "SELECT TRY(strftime(ts, '%n|'))",
      "SELECT list_transform([ts], lambda x: strftime(x, '%n|'))",
      "SELECT stamp(ts, '%n|')",
      "SELECT count(*) FILTER (strftime(ts, '%n|') > 'a')",
    ])('refuse a format with more behind them: %s', async (sql) => {
      // Callers may not use VARIANT.
      for (const confined of sql.includes('VARIANT') ? [false] : [false, true]) {
        const { code, message } = await errorOf(run(`${sql} AS v FROM days`, confined));
        expect(`${code} ${message}`).toMatch(/^sql_failed /);
        expect(message).toMatch(REFUSED);
      }
    });

    it.each(['FROM stamps', "FROM stamp_rows('%n|')", 'FROM stamped', "FROM stamp_rows('%Y' || '%n|')"])(
      'refuse it in the definitions of the database: %s',
      async (sql) => {
        const answers = await Promise.all([false, true].map((confined) => errorOf(run(sql, confined))));
        for (const { message } of answers) expect(message).toMatch(REFUSED);
      },
    );

    it.runIf(engine === 'native')('refuse a format that is not constant', async () => {
      const formats = ['f', "CASE WHEN random() < 0.5 THEN '%n%n' ELSE f END", "(SELECT '%n' || f)"];
      for (const format of formats) {
        const sql = `SELECT strftime(tz, ${format}) AS v FROM days, range(30), (VALUES ('%Y'), ('%n|')) q(f)`;
        expect((await errorOf(run(sql, true))).message).toMatch(REFUSED);
      }
      const sql = "SELECT strftime(tz, f) AS v FROM days, (VALUES ('%Y'), (NULL), ('%n')) q(f)";
      expect((await run(sql, true)).rows).toEqual([{ v: '2024' }, { v: null }, { v: '123456000' }]);
    });

    it('refuse it in a parameter, at each call of a statement', async () => {
      const sqls = ['SELECT strftime(ts, $1) AS v FROM days', 'SELECT v FROM stamp_rows($1)'];
      for (const sql of sqls) {
        for (let round = 0; round < 4; round += 1) {
          expect((await run(sql, false, ['%Y'])).rows).toEqual([{ v: '2024' }]);
          const { message } = await errorOf(run(sql, false, ['%n%n']));
          expect(message).toMatch(REFUSED);
        }
      }
    });

    it.each([
      ["strftime(ts, '%S.%n')", '03.123456000'],
      ["strftime('%n', d)", '000000000'],
      ["strftime(ns, '%n')", '123456000'],
      ["strftime(tz, '%Y %n')", '2024 123456000'],
      ["strftime(ts, '%%n%%%Y%%n.')", '%n%2024%n.'],
      ["strftime(ts, '%f|%g|%j|%-d|n')", '123456|123|060|29|n'],
      ['strftime(ts, NULL::VARCHAR)', null],
      ["strftime(NULL::TIMESTAMP, '%Y')", null],
      ['strftime(ts, NULL)', null],
    ])('leave %s', async (sql, v) => {
      const { rows, columns } = await run(`SELECT ${sql} FROM days`, true);
      expect(rows.map((row) => Object.values(row))).toEqual([[v]]);
      expect(columns.map(({ name }) => name)[0]).toMatch(/^strftime\(/);
    });

    it.each(['system.main.strftime', 'system.strftime', '"SYSTEM" . "main" /**/ . "strftime"'])(
      'are refused to callers under the name %s',
      async (name) => {
        const sql = `SELECT ${name}(ts, '%n|') AS v FROM days`;
        expect(() => enforceReadOnly(sql)).toThrow(/strftime/i);
        if (engine === 'native')
          expect(await errorOf(run(sql, true))).toMatchObject({ code: 'sql_rejected' });
      },
    );
  });

  it.runIf(engine === 'native')('give no state if only the second check sees the statement', async () => {
    const error = await errorOf(run('SELECT sum(id) EXPORT_STATE AS s FROM docs', true));
    expect(error).toMatchObject({ code: 'sql_rejected' });
  });
});

/** Values of nested types with NULLs behind other values, and of types whose values are as long as they need to be. */
const WITH_NULLS = [
  ...[
    '1::TINYINT',
    '1',
    '1::HUGEINT',
    '1::DECIMAL(30, 2)',
    'INTERVAL 1 DAY',
    "'a'",
    "'longer than twelve letters'",
  ],
  ...[
    '1::BIGNUM',
    "'10101'::BIT",
    "'ab'::BLOB",
    "'POINT (1 2)'::GEOMETRY",
    'union_value(n := 1)',
    "{'a': 1, 'b': NULL}",
  ],
].flatMap((one) => [
  one,
  `[${one}, NULL, NULL, NULL, ${one}]`,
  `array_value(${one}, NULL, NULL, ${one})`,
  `MAP {1: ${one}, 2: NULL, 3: NULL}`,
  `{'a': ${one}, 'b': NULL, 'c': [${one}, NULL]}`,
]);
const CASTS = [
  'VARIANT',
  'VARCHAR',
  'JSON',
  'BLOB',
  'BIT',
  'VARCHAR[]',
  'JSON[]',
  'VARCHAR[4]',
  'MAP(VARCHAR, VARCHAR)',
  'STRUCT(a VARCHAR, b VARCHAR, c VARCHAR)',
];
const ROUNDS = 3;

describe.each(Object.keys(ENGINES))('the values of %s with NULLs', (engine) => {
  it('show what was in the memory before only as a VARIANT, and there only by their bytes', {
    timeout: 120_000,
  }, async () => {
    const folder = await temporaryFolder();
    await runScript(folder.file('data.duckdb'), SEED);
    const database = await ENGINES[engine]?.(folder.file('data.duckdb'));
    if (database === undefined) throw new Error(engine);
    const ask = async (sql: string) => {
      const { rows } = await database.run({ sql, values: [], mode: 'read', maxRows: 10 }, callOf({}));
      return rows;
    };
    /** Leaves texts behind in the memory, other ones each time. */
    const fill = async (round: number) => {
      const text = `repeat(chr(${65 + round}), i % 500)`;
      await ask(
        `SELECT length(string_agg(${text} || ${text}, ',')) AS v, max(upper(${text})) FROM range(3000) t(i)`,
      );
    };
    const readOf = (value: string, type: string) => {
      const cast = `TRY_CAST(x AS ${type})`;
      const key = `create_sort_key(${cast}, 'ASC NULLS FIRST')`;
      return `SELECT ${cast}::VARCHAR AS text, hash(${cast}) AS hash, hex(${key}) AS key
        FROM (VALUES (${value}), (NULL), (${value})) t(x)`;
    };
    const found = new Set<string>();
    try {
      for (const type of CASTS) {
        const reads = WITH_NULLS.map((value) => readOf(value, type));
        const first = new Map<string, JsonValue | undefined>();
        for (let round = 0; round < ROUNDS; round += 1) {
          await fill(round);
          for (const sql of reads) {
            const rows = await ask(sql).catch((error) => [{ text: String(error) }]);
            for (const [at, name, value] of rows.flatMap((row, at) =>
              Object.entries(row).map(([name, value]) => [at, name, value] as const),
            )) {
              const place = `${sql} ${at} ${name}`;
              if (!first.has(place)) first.set(place, value);
              else if (first.get(place) !== value) found.add(`${type} ${name}`);
            }
          }
        }
      }
    } finally {
      await database.close();
      await folder.remove();
    }
    expect([...found].toSorted()).toEqual(['VARIANT hash', 'VARIANT key']);
  });
});

describe('the guard of strftime on a native database that is written', () => {
  /** A query that gets a connection of its own, which tells whether strftime is guarded there. */
  const GUARDED =
    "SELECT count(*) AS n FROM duckdb_functions() WHERE database_name = 'temp' AND function_name = 'strf' || 'time'";

  it('is there if a definition calls strftime, and is left out after some statements if none does', async () => {
    const folder = await temporaryFolder();
    const database = await openNative({ path: folder.file('guard.duckdb'), readonly: false });
    const run = (sql: string, mode: 'read' | 'write') =>
      database.run({ sql, values: [], mode, maxRows: 10 }, callOf());
    const guards = async () => {
      const found = [];
      for (let round = 0; round < 60; round += 1) found.push((await run(GUARDED, 'read')).rows[0]?.n);
      return [found[0], found.at(-1)];
    };
    try {
      await run(
        "CREATE TABLE days AS SELECT TIMESTAMPTZ '2024-02-29 01:02:03+00' AS tz, '%n|' AS f",
        'write',
      );
      expect(await guards()).toEqual([1, 0]);
      await run('CREATE VIEW stamps AS SELECT strftime(tz, f) AS v FROM days', 'write');
      expect(await guards()).toEqual([1, 1]);
      expect((await errorOf(run('FROM stamps', 'read'))).message).toMatch(REFUSED);
      await run('DROP VIEW stamps', 'write');
      expect(await guards()).toEqual([1, 0]);
      expect((await errorOf(run('SELECT strftime(tz, f) FROM days', 'read'))).message).toMatch(REFUSED);
    } finally {
      await database.close();
      await folder.remove();
    }
  });
});
