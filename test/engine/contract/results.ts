import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import { callOf, errorOf, read } from '../fixture.ts';
import { TYPES, UNSENDABLE } from '../types.ts';
import type { Subject } from './subject.ts';

/** Queries of every form, their first two rows, and whether there are more: an engine adds a limit to them. */
const FORMS: readonly (readonly [string, readonly number[], boolean])[] = [
  ['SELECT id FROM items ORDER BY id DESC', [1999, 1998], true],
  ['SELECT id FROM items ORDER BY id DESC -- the last ones', [1999, 1998], true],
  ['SELECT id FROM items ORDER BY id DESC;', [1999, 1998], true],
  [
    "-- one\n\nSELECT id FROM items WHERE name <> ';' ORDER BY id DESC ;\n-- the last ones;\n",
    [1999, 1998],
    true,
  ],
  ['SELECT id FROM items ORDER BY id LIMIT 1', [0], false],
  ['SELECT id FROM items ORDER BY id LIMIT 3 OFFSET 1', [1, 2], true],
  ['SELECT id FROM items ORDER BY id OFFSET 1998', [1998, 1999], false],
  ['SELECT id FROM items WHERE id < 4 ORDER BY id LIMIT 50%', [0, 1], false],
  ['SELECT 3 AS id UNION ALL SELECT 2 ORDER BY id', [2, 3], false],
  ['(SELECT 3 AS id ORDER BY id LIMIT 1) UNION ALL (SELECT 2 ORDER BY 1 LIMIT 1) ORDER BY id', [2, 3], false],
  ['WITH few AS (SELECT id FROM items WHERE id < 3) SELECT id FROM few ORDER BY id', [0, 1], true],
  ['SELECT DISTINCT ON (id // 2) id FROM items WHERE id < 6 ORDER BY id // 2, id', [0, 2], true],
  [
    'SELECT id FROM items WHERE id < 6 QUALIFY row_number() OVER (ORDER BY id DESC) < 3 ORDER BY id',
    [4, 5],
    false,
  ],
  ['SELECT col0 AS id FROM (VALUES (1), (2), (3)) ORDER BY id', [1, 2], true],
];

/** Queries whose fields are NULL or empty, so that DuckDB knows no type of theirs; their parameters and their row. */
const UNTYPED: readonly (readonly [string, readonly SqlValue[], JsonObject])[] = [
  ['SELECT unnest({total: count(*), note: NULL}) FROM items', [], { total: 2000, note: null }],
  ['SELECT unnest($1)', [{ struct: { a: 1n, b: null } }], { a: 1, b: null }],
  ['SELECT unnest({a: [], b: [NULL], c: map {}})', [], { a: [], b: [null], c: {} }],
  ['SELECT unnest({s: {a: NULL, b: [{c: NULL}]}})', [], { s: { a: null, b: [{ c: null }] } }],
  ['SELECT unnest([{a: NULL}], recursive := true)', [], { a: null }],
];

/** Every type has one JSON form, and rows come back as they are. */
export function describeResults(subject: Subject): void {
  describe('results', () => {
    for (const { type, values, column = type, lacks = {} } of TYPES) {
      const reason = lacks[subject.engine];
      it(`${type}${reason === undefined ? ' has its exact JSON form' : ` is missing: ${reason}`}`, async () => {
        for (const [expression, form] of values) {
          if (reason !== undefined) {
            expect((await errorOf(read(subject.database, `SELECT ${expression}`))).code).toBe('sql_failed');
            continue;
          }
          const { rows, columns } = await read(subject.database, `SELECT ${expression}`);
          const value = rows[0]?.[columns[0]?.name ?? ''] ?? null;
          expect(`${expression} = ${JSON.stringify(value)}`).toBe(`${expression} = ${JSON.stringify(form)}`);
          if (column !== null) expect(columns[0]?.type).toBe(column);
        }
      });
    }

    it.each(UNSENDABLE)('$type is refused with advice', async ({ type, sql }) => {
      const error = await errorOf(read(subject.database, `SELECT ${sql}`));
      expect(error.code).toBe('sql_failed');
      expect(error.message).toBe(
        `The result has a column of type ${type}, which cannot be sent. Cast it to VARCHAR.`,
      );
      expect((await read(subject.database, `SELECT nullif(${sql}, ${sql}) AS v`)).rows).toEqual([
        { v: null },
      ]);
    });

    it('name the types of columns as DuckDB does', async () => {
      const expressions = [
        '1.5::DECIMAL(10,2)',
        "{'a': 1, 'b C': ['x']}",
        'row(1, 2)',
        "MAP {1: DATE '2024-01-01'}",
        'array_value(1, 2)',
        'union_value(n := 1)',
      ];
      const { columns } = await read(subject.database, `SELECT ${expressions}`);
      const { rows } = await read(subject.database, `SELECT ${expressions.map((item) => `typeof(${item})`)}`);
      expect(columns.map(({ type }) => type)).toEqual(Object.values(rows[0] ?? {}));
    });

    it('keep the byte order mark of a text, wherever it is', async () => {
      const sql =
        "SELECT [m, NULL, m] AS l, {'f': m} AS s, MAP {m: m} AS k FROM (SELECT chr(65279) || 'é' AS m)";
      const { rows } = await read(subject.database, sql);
      const text = '\uFEFFé';
      expect(rows).toEqual([{ l: [text, null, text], s: { f: text }, k: { [text]: text } }]);
    });

    it.each(['DOUBLE', 'FLOAT'])('keep the keys of a MAP apart that are no numbers: %s', async (type) => {
      const map = `MAP {'nan'::${type}: 1, 'inf'::${type}: 2, '-inf'::${type}: 3, 0.5::${type}: 4}`;
      const { rows } = await read(subject.database, `SELECT ${map} AS m`);
      expect(rows).toEqual([{ m: { nan: 1, inf: 2, '-inf': 3, '0.5': 4 } }]);
    });

    it.each([
      "MAP {['nan'::DOUBLE]: 1, ['inf'::DOUBLE]: 2}",
      "MAP {{'a': 'nan'::FLOAT}: 1, {'a': 'inf'::FLOAT}: 2}",
      `MAP {'{"a":1}'::JSON: 1, '{"a": 1}'::JSON: 2}`,
    ])('lose no entry of a MAP: %s', async (map) => {
      const error = await errorOf(read(subject.database, `SELECT ${map} AS m`));
      expect(error.code).toBe('sql_failed');
      expect(error.message).toContain('two keys that are the same text in JSON');
    });

    it('keep columns of the same name apart', async () => {
      const { rows, columns } = await read(
        subject.database,
        'SELECT 1 AS a, 2 AS a, 3 AS "__proto__", 4 AS a',
      );
      expect(columns.map(({ name }) => name)).toEqual(['a', 'a_1', '__proto__', 'a_2']);
      expect(JSON.stringify(rows)).toBe('[{"a":1,"a_1":2,"__proto__":3,"a_2":4}]');
    });

    it('keep columns apart whose names differ in case', async () => {
      const { rows, columns } = await read(subject.database, 'SELECT 1 AS "A", 2 AS a, 3 AS b');
      expect(columns.map(({ name }) => name)).toEqual(['A', 'a_1', 'b']);
      expect(rows).toEqual([{ A: 1, a_1: 2, b: 3 }]);
    });

    it('give columns of the same name the same names in each run', async () => {
      // DuckDB learns the type of $1, and with it the names of the columns, only when the statement runs.
      const sql = "SELECT 1 AS id, 2 AS id, 3 AS id_1 WHERE $1 IS NULL OR $1 = 'x'";
      for (let run = 0; run < 4; run += 1) {
        const { rows } = await read(subject.database, sql, [null]);
        expect(rows, `run ${run}`).toEqual([{ id: 1, id_1: 2, id_1_1: 3 }]);
      }
    });

    it.each(UNTYPED)(
      'give columns without a type the same type in each run: %s',
      async (sql, values, row) => {
        for (let run = 0; run < 4; run += 1) {
          const { rows, columns } = await read(subject.database, sql, values);
          expect(rows, `run ${run}`).toEqual([row]);
          expect(columns.map(({ type }) => type).join(), `run ${run}`).not.toContain('NULL');
        }
      },
    );

    it.each(FORMS)('are the first ones of: %s', async (sql, ids, truncated) => {
      const request = { sql, values: [], mode: 'read', maxRows: 2 } as const;
      const result = await subject.database.run(request, callOf());
      expect(result.rows).toEqual(ids.map((id) => ({ id })));
      expect(result.truncated).toBe(truncated);
    });

    it('keep rows in order over many chunks', async () => {
      const request = {
        sql: 'SELECT i FROM range(10000) t(i)',
        values: [],
        mode: 'read',
        maxRows: 10_000,
      } as const;
      const { rows, truncated } = await subject.database.run(request, callOf());
      expect(truncated).toBe(false);
      expect(rows.every((row, index) => row.i === index)).toBe(true);
    });

    it.each([
      [0, 0, true],
      [10, 10, true],
      [20, 20, false],
      [21, 20, false],
    ])('with at most %s rows are %s rows, truncated: %s', async (maxRows, count, truncated) => {
      const sql = 'FROM items WHERE id < 20 ORDER BY id';
      const result = await subject.database.run({ sql, values: [], mode: 'read', maxRows }, callOf());
      expect(result.rows.length).toBe(count);
      expect(result.truncated).toBe(truncated);
      expect(result.columns.length).toBe(4);
    });

    it.each([
      ["SELECT repeat('x', 1000) AS v FROM range(5000)", 10_000, 10],
      ["SELECT 1 AS n, repeat('x', 1000) AS v FROM range(5000)", 10_000, 9],
      ["SELECT [repeat('x', 1000)] AS v FROM range(20)", 10_000, 9],
      ["SELECT {'a': repeat('x', 1000)} AS v FROM range(20)", 10_000, 9],
      ["SELECT json_object('a', repeat('x', 1000)) AS v FROM range(20)", 10_000, 9],
      ["SELECT repeat('x', 1000)::BLOB AS v FROM range(20)", 10_000, 7],
      ["SELECT repeat('01', 500)::BIT AS v FROM range(20)", 10_000, 10],
      ["SELECT repeat('x', 10_000_000) AS v FROM range(3)", 4_194_304, 0],
      ["SELECT repeat('x', 10_000_000)::BLOB AS v FROM range(3)", 4_194_304, 0],
      ['SELECT 1 AS a, 2 AS b, 3 AS c FROM range(100)', 1_000, 55],
      ['SELECT range(10) AS v FROM range(20)', 209, 9],
      ['SELECT CASE WHEN i % 2 = 0 THEN range(10) END AS v FROM range(20) t(i)', 219, 19],
      ["SELECT MAP {'a': 1} AS v FROM range(20)", 69, 9],
      ['SELECT [1, 2, 3]::INTEGER[3] AS v FROM range(20)', 69, 9],
      ["SELECT union_value(n := 'xxxx') AS v FROM range(20)", 39, 9],
    ])('stop before the row that is beyond their bytes: %s', async (sql, maxBytes, count) => {
      const request = { sql, values: [], mode: 'read', maxRows: 5_000, maxBytes } as const;
      // From the second time on, the statement has a lane.
      for (let time = 0; time < 3; time += 1) {
        const { rows, truncated, beyondBytes } = await subject.database.run(request, callOf());
        expect([rows.length, truncated, beyondBytes]).toEqual([count, true, true]);
      }
    });

    it.each([
      ["SELECT repeat('x', 1000) AS v FROM range(5)", 5_000],
      ["SELECT nullif(repeat('x', 1000), repeat('x', 1000)) AS v", 4],
      [`SELECT ('{"a":' || repeat(' ', 1000) || '1}')::JSON AS v`, 7],
      [`SELECT ('"' || repeat('\\u0041', 1000) || '"')::JSON AS v FROM range(3)`, 3_000],
      ["SELECT repeat('é', 1000) AS v", 2_000],
      ['SELECT range(10) AS v', 21],
      ['SELECT [] AS v', 2],
      ['SELECT NULL::INTEGER[] AS v', 4],
      ["SELECT [[], NULL, [''], ['é', NULL]] AS v", 29],
      ["SELECT [repeat('1', 8), '1']::BIT[] AS v", 16],
      ['SELECT [0, -300]::BIGNUM[] AS v', 8],
      ["SELECT ['\\x00\\x01'::BLOB, ''::BLOB] AS v", 11],
      [`SELECT ['{"a": 1}'::JSON] AS v`, 9],
      ['SELECT MAP {} AS v', 2],
      ["SELECT MAP {''::ENUM ('a', ''): 1} AS v", 6],
      ["SELECT MAP {'': [''], 'b': NULL} AS v", 19],
      ['SELECT row(1, NULL) AS v', 8],
      ['SELECT {a: 1} AS v', 7],
      ['SELECT [[1, 2], NULL]::INTEGER[2][2] AS v', 12],
      ["SELECT union_value(e := ''::ENUM ('')) AS v", 0],
      ['SELECT [union_value(l := [1]), NULL] AS v', 10],
      ['SELECT 1 AS v WHERE false', 0],
    ])('are whole within their bytes: %s', async (sql, maxBytes) => {
      const request = { sql, values: [], mode: 'read', maxRows: 100 } as const;
      const limited = await subject.database.run({ ...request, maxBytes }, callOf());
      expect(limited.beyondBytes).toBeUndefined();
      expect(limited).toEqual(await subject.database.run(request, callOf()));
    });

    it.each([
      'SELECT range(n)::FLOAT[] AS v FROM range(6_000_000, 6_000_001) AS t(n)',
      'SELECT {a: [range(n)::FLOAT[]]} AS v FROM range(6_000_000, 6_000_001) AS t(n)',
      "SELECT {a: repeat('x', 60_000_000)::BLOB} AS v",
      "SELECT repeat('1', 100_000_000)::BIT AS v",
      'SELECT union_value(l := range(n)::FLOAT[]) AS v FROM range(6_000_000, 6_000_001) AS t(n)',
    ])('take little time for a value that is beyond their bytes: %s', async (sql) => {
      const request = { sql, values: [], mode: 'read', maxRows: 10, maxBytes: 4_194_304 } as const;
      // Decoding the value on this thread, which serves all callers, took up to 12 seconds.
      const before = process.threadCpuUsage();
      const { rows, truncated, beyondBytes } = await subject.database.run(request, callOf());
      const { user, system } = process.threadCpuUsage(before);
      expect([rows.length, truncated, beyondBytes]).toEqual([0, true, true]);
      expect((user + system) / 1e6).toBeLessThan(1.5);
    });

    it.each(['{"$": 1} AS s', '1 AS "$"', 'NULL::STRUCT(a STRUCT("$" INTEGER)[]) AS s'])(
      'are refused if the names and types of their columns are too long: %s',
      async (column) => {
        const long = column.replace('$', 'x'.repeat(30_000));
        const many = (stars: number) =>
          read(
            subject.database,
            `WITH a AS (SELECT ${long}) SELECT ${Array(stars).fill('*')} FROM a LIMIT 0`,
          );
        const error = await errorOf(many(150));
        expect(error.code).toBe('result_too_large');
        expect(error.message).toContain('names and types of the columns are too long');
        expect((await many(50)).columns).toHaveLength(50);
      },
    );

    it.each(['', '1234567890123456789'])(
      'are refused if a value is nested too deeply around %j',
      async (inner) => {
        const nested = (levels: number) =>
          read(
            subject.database,
            `SELECT (repeat('[', ${levels}) || '${inner}' || repeat(']', ${levels}))::JSON AS v`,
          );
        for (const levels of [5000, 100_000]) {
          const error = await errorOf(nested(levels));
          expect(error.code).toBe('sql_failed');
          expect(error.message).toContain('nested more than 1000 levels deep');
        }
        expect((await nested(1000)).rows).toHaveLength(1);
      },
    );

    it('are refused if a VARIANT is nested too deeply for its reader', async () => {
      const sql = `SELECT (repeat('[', 5000) || repeat(']', 5000))::JSON::VARIANT AS v`;
      expect((await errorOf(read(subject.database, sql))).code).toBe('sql_failed');
    });

    it('never count more bytes than their JSON has', async () => {
      for (const { values, lacks = {} } of TYPES) {
        if (lacks[subject.engine] !== undefined) continue;
        for (const [expression, form] of values) {
          const text = typeof form === 'string' ? form : JSON.stringify(form);
          const maxBytes = Buffer.byteLength(text);
          const request = {
            sql: `SELECT ${expression}`,
            values: [],
            mode: 'read',
            maxRows: 1,
            maxBytes,
          } as const;
          const { rows, beyondBytes } = await subject.database.run(request, callOf());
          expect([expression, rows.length, beyondBytes]).toEqual([expression, 1, undefined]);
        }
      }
    });

    it('may be empty', async () => {
      const { rows, columns, truncated } = await read(
        subject.database,
        'SELECT id, name FROM items WHERE false',
      );
      expect([rows, truncated]).toEqual([[], false]);
      expect(columns).toEqual([
        { name: 'id', type: 'INTEGER' },
        { name: 'name', type: 'VARCHAR' },
      ]);
    });
  });
}
