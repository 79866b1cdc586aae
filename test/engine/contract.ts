import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, SqlValue } from '../../src/ports.ts';
import {
  answerOf,
  callerOf,
  callOf,
  createFixture,
  errorOf,
  type Fixture,
  read,
  removeFixture,
} from './fixture.ts';
import { ESCAPES, WRITES } from './refused.ts';
import { type EngineName, TYPES, UNSENDABLE } from './types.ts';

/** Opens a database file read-only. */
export type Open = (file: string, options?: { readonly memoryMb?: number }) => Promise<Database>;

const RUNAWAY = 'SELECT count(*) FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = 3';
const HUNGRY = "SELECT count(*) FROM (SELECT DISTINCT i, 'text ' || i FROM range(5000000) t(i))";

/** What every engine does the same. */
export function describeEngine(engine: EngineName, open: Open): void {
  describe(`${engine}, as every engine`, () => {
    let fixture: Fixture;
    let database: Database;
    beforeAll(async () => {
      fixture = await createFixture();
      database = await open(fixture.shop);
    });
    afterAll(async () => {
      await database?.close();
      await removeFixture(fixture);
    });

    describe('opening', () => {
      it('says what it is', () => {
        expect(database.engine).toBe(engine);
        expect(database.readonly).toBe(true);
      });

      it.each(['missing', 'broken'] as const)('says clearly that a file is %s', async (kind) => {
        const error = await errorOf(open(fixture[kind]));
        expect(error.code).toBe('database_unavailable');
        expect(error.message).toContain(`${kind}.duckdb`);
      });

      it('closes once and for all, and opens again', async () => {
        const first = await open(fixture.shop);
        expect(await answerOf(first, 'count(*) FROM items')).toBe(2000);
        await first.close();
        await first.close();
        expect((await errorOf(read(first, 'SELECT 1'))).code).toBe('database_unavailable');
        const second = await open(fixture.shop);
        expect(await answerOf(second, 'count(*) FROM items')).toBe(2000);
        await second.close();
      });
    });

    describe('parameters', () => {
      const values: readonly (readonly [string, SqlValue, string])[] = [
        ['an integer', 7n, 'INTEGER'],
        ['a large integer', 2n ** 40n, 'BIGINT'],
        ['a huge integer', -(2n ** 100n), 'HUGEINT'],
        ['a number', 7, 'DOUBLE'],
        ['text', "it's", 'VARCHAR'],
        ['a boolean', true, 'BOOLEAN'],
        ['null', null, '"NULL"'],
        ['a date', { sqlType: 'DATE', text: '2024-02-29' }, 'DATE'],
        ['a time', { sqlType: 'TIME', text: '12:34:56' }, 'TIME'],
        ['a timestamp', { sqlType: 'TIMESTAMP', text: '2024-02-29T12:34:56' }, 'TIMESTAMP'],
        ['an instant', { sqlType: 'TIMESTAMPTZ', text: '2024-02-29T12:34:56Z' }, 'TIMESTAMP WITH TIME ZONE'],
        ['an interval', { sqlType: 'INTERVAL', text: '1 day 2 hours' }, 'INTERVAL'],
        ['a list of integers', { list: [1n, null, 3n] }, 'INTEGER[]'],
        ['a list of integers, one large', { list: [1n, 2n ** 40n] }, 'BIGINT[]'],
        ['a list of numbers', { list: [1n, 2.5] }, 'DOUBLE[]'],
        ['a list of text', { list: ['a', 'b'] }, 'VARCHAR[]'],
        ['a list of lists', { list: [{ list: [1n] }, { list: [] }] }, 'INTEGER[][]'],
        ['a list of dates', { list: [{ sqlType: 'DATE', text: '2024-02-29' }] }, 'DATE[]'],
        ['a struct', { struct: { a: 1n, b: { list: ['x'] } } }, 'STRUCT(a INTEGER, b VARCHAR[])'],
        [
          'a list of structs',
          { list: [{ struct: { a: 1n } }, { struct: { a: null } }] },
          'STRUCT(a INTEGER)[]',
        ],
      ];

      it.each(values)('%s keeps its type', async (_, value, type) => {
        expect(await answerOf(database, 'typeof($1)', [value])).toBe(type);
      });

      it('arrive as they are', async () => {
        const all = values.map(([, value]) => value);
        const { rows } = await read(
          database,
          `SELECT ${all.map((_, index) => `$${index + 1} AS p${index}`)}`,
          all,
        );
        expect(Object.values(rows[0] ?? {})).toEqual([
          7,
          1099511627776,
          '-1267650600228229401496703205376',
          7,
          "it's",
          true,
          null,
          '2024-02-29',
          '12:34:56',
          '2024-02-29T12:34:56',
          '2024-02-29T12:34:56Z',
          'P1DT2H',
          [1, null, 3],
          [1, 1099511627776],
          [1, 2.5],
          ['a', 'b'],
          [[1], []],
          ['2024-02-29'],
          { a: 1, b: ['x'] },
          [{ a: 1 }, { a: null }],
        ]);
      });

      it('stay apart from the SQL, whatever they hold', async () => {
        const text = '\'; DROP TABLE items; -- $1 \u0000 " \\ 😀';
        expect(await answerOf(database, '$1', [text])).toBe(text);
      });

      it('are known by their number, in any order and more than once', async () => {
        const { rows } = await read(database, 'SELECT $2 AS a, $1 AS b, $2 AS c', [1n, 'x']);
        expect(rows).toEqual([{ a: 'x', b: 1, c: 'x' }]);
      });

      it('fit where a literal fits', async () => {
        expect(await answerOf(database, "DATE '2024-01-01' + $1", [30n])).toBe('2024-01-31');
        expect(await answerOf(database, "DATE '2024-01-01' + INTERVAL ($1) DAY", [1n])).toBe(
          '2024-01-02T00:00:00',
        );
        expect(
          await answerOf(database, 'name FROM items WHERE list_contains($1, id)', [{ list: [5n] }]),
        ).toBe('item 5');
        expect(await answerOf(database, 'count(*) FROM items WHERE id < $1', [10n])).toBe(10);
        expect(await answerOf(database, 'count(*) FROM items LIMIT $1', [1n])).toBe(2000);
      });

      it.each([[[]], [[1n, 2n]]])('must be as many as the statement takes: %s', async (given) => {
        const error = await errorOf(read(database, 'SELECT $1', given));
        expect(error.code).toBe('sql_failed');
        expect(error.message).toMatch(/1 parameter/);
      });

      it('that DuckDB cannot read are an error of the statement', async () => {
        const error = await errorOf(read(database, 'SELECT $1', [{ sqlType: 'DATE', text: 'tomorrow' }]));
        expect(error.code).toBe('sql_failed');
        expect(error.message).toContain('tomorrow');
      });
    });

    describe('results', () => {
      for (const { type, values, column = type, lacks = {} } of TYPES) {
        const reason = lacks[engine];
        it(`${type}${reason === undefined ? ' has its exact JSON form' : ` is missing: ${reason}`}`, async () => {
          for (const [expression, form] of values) {
            if (reason !== undefined) {
              expect((await errorOf(read(database, `SELECT ${expression}`))).code).toBe('sql_failed');
              continue;
            }
            const { rows, columns } = await read(database, `SELECT ${expression}`);
            const value = rows[0]?.[columns[0]?.name ?? ''] ?? null;
            expect(`${expression} = ${JSON.stringify(value)}`).toBe(
              `${expression} = ${JSON.stringify(form)}`,
            );
            if (column !== null) expect(columns[0]?.type).toBe(column);
          }
        });
      }

      it.each(UNSENDABLE)('$type is refused with advice', async ({ sql }) => {
        const error = await errorOf(read(database, `SELECT ${sql}`));
        expect(error.code).toBe('sql_failed');
        expect(error.message).toContain('Cast it to VARCHAR');
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
        const { columns } = await read(database, `SELECT ${expressions}`);
        const { rows } = await read(database, `SELECT ${expressions.map((item) => `typeof(${item})`)}`);
        expect(columns.map(({ type }) => type)).toEqual(Object.values(rows[0] ?? {}));
      });

      it('keep columns of the same name apart', async () => {
        const { rows, columns } = await read(database, 'SELECT 1 AS a, 2 AS a, 3 AS "__proto__", 4 AS a');
        expect(columns.map(({ name }) => name)).toEqual(['a', 'a_1', '__proto__', 'a_2']);
        expect(JSON.stringify(rows)).toBe('[{"a":1,"a_1":2,"__proto__":3,"a_2":4}]');
      });

      it('keep rows in order over many chunks', async () => {
        const request = {
          sql: 'SELECT i FROM range(10000) t(i)',
          values: [],
          mode: 'read',
          maxRows: 10_000,
        } as const;
        const { rows, truncated } = await database.run(request, callOf());
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
        const result = await database.run({ sql, values: [], mode: 'read', maxRows }, callOf());
        expect(result.rows.length).toBe(count);
        expect(result.truncated).toBe(truncated);
        expect(result.columns.length).toBe(4);
      });

      it('may be empty', async () => {
        const { rows, columns, truncated } = await read(database, 'SELECT id, name FROM items WHERE false');
        expect([rows, truncated]).toEqual([[], false]);
        expect(columns).toEqual([
          { name: 'id', type: 'INTEGER' },
          { name: 'name', type: 'VARCHAR' },
        ]);
      });
    });

    describe('errors', () => {
      it.each([
        ['SELEC 1', /syntax error/],
        ['SELECT * FROM nowhere', /nowhere/],
        ['SELECT nothing FROM items', /nothing/],
        ["SELECT 'x'::INTEGER", /Could not convert/],
        ["SELECT error('boom')", /boom/],
        ['SELECT no_such_function(1)', /no_such_function/],
        ['SELECT 2147483647::INTEGER + 1::INTEGER', /Overflow/],
      ])("%s is the statement's own fault", async (sql, text) => {
        const error = await errorOf(read(database, sql));
        expect(error.code).toBe('sql_failed');
        expect(error.message).toMatch(text);
      });

      it.each([
        ['SELEC 1', 'Parser Error: syntax error at or near "1"\n\nLINE 1: SELEC 1\n              ^'],
        [
          'SELECT id\nFROM items\nWHERE nothing = 1',
          'Binder Error: Referenced column "nothing" not found in FROM clause!\nCandidate bindings: "name"\n\nLINE 3: WHERE nothing = 1\n              ^',
        ],
      ])('of %s point at the place', async (sql, message) => {
        expect((await errorOf(read(database, sql))).message).toBe(message);
      });

      it('leave nothing behind', async () => {
        await errorOf(read(database, "SELECT error('boom') FROM items"));
        expect(await answerOf(database, 'count(*) FROM items')).toBe(2000);
      });
    });

    describe('preparing', () => {
      it('accepts what would run', async () => {
        await database.prepare('SELECT * FROM items WHERE id = $1 AND name = $2', 'read');
        await database.prepare("SELECT get_username(), get_request_header('x') FROM mine", 'read');
      });

      it.each(['SELECT * FROM nowhere', 'SELEC 1', 'SELECT nothing FROM items', 'SELECT 1; SELECT 2'])(
        'finds what is wrong with %s',
        async (sql) => {
          expect((await errorOf(database.prepare(sql, 'read'))).code).toBe('sql_failed');
        },
      );

      it('does not run the statement', async () => {
        await database.prepare("SELECT error('boom') FROM items", 'read');
      });
    });

    describe('what only reads', () => {
      it.each(WRITES)('does not do: %s', async (sql) => {
        const { code } = await errorOf(read(database, sql));
        expect(['sql_failed', 'sql_rejected', 'database_readonly']).toContain(code);
      });

      it.each(ESCAPES)('does not reach out by: %s', async (sql) => {
        const error = await errorOf(read(database, sql.replaceAll('{file}', fixture.shop)));
        expect(['sql_failed', 'sql_rejected', 'database_readonly']).toContain(error.code);
      });

      it('refuses to write, and says so', async () => {
        const request = { sql: 'DELETE FROM items', values: [], mode: 'write', maxRows: 1 } as const;
        expect((await errorOf(database.run(request, callOf()))).code).toBe('database_readonly');
        expect((await errorOf(database.prepare(request.sql, 'write'))).code).toBe('database_readonly');
      });

      it('is still as it was', async () => {
        expect(await answerOf(database, 'count(*) FROM items')).toBe(2000);
        expect(await answerOf(database, 'count(*) FROM duckdb_tables()')).toBe(1);
      });
    });

    describe('limits', () => {
      it('end a runaway at its deadline', async () => {
        const begun = performance.now();
        const error = await errorOf(read(database, RUNAWAY, [], { timeoutMs: 300 }));
        expect(error.code).toBe('deadline_exceeded');
        expect(performance.now() - begun).toBeLessThan(2000);
        expect(await answerOf(database, '1')).toBe(1);
      });

      it('end a runaway whose caller is gone', async () => {
        const controller = new AbortController();
        const running = errorOf(read(database, RUNAWAY, [], { signal: controller.signal }));
        await answerOf(database, '1');
        const begun = performance.now();
        controller.abort();
        expect((await running).code).toBe('cancelled');
        expect(performance.now() - begun).toBeLessThan(2000);
      });

      it('do not start what is cancelled already', async () => {
        const error = await errorOf(read(database, RUNAWAY, [], { signal: AbortSignal.abort() }));
        expect(error.code).toBe('cancelled');
      });

      it('leave others alone', async () => {
        const runaways = Array.from({ length: 4 }, () =>
          errorOf(read(database, RUNAWAY, [], { timeoutMs: 1500 })),
        );
        const counts = Array.from({ length: 20 }, () => answerOf(database, 'count(*) FROM items'));
        expect(await Promise.all(counts)).toEqual(counts.map(() => 2000));
        const codes = (await Promise.all(runaways)).map(({ code }) => code);
        expect(codes).toEqual(runaways.map(() => 'deadline_exceeded'));
      });

      it('hold for memory, and the engine goes on', async () => {
        const small = await open(fixture.shop, { memoryMb: 64 });
        expect((await errorOf(read(small, HUNGRY))).code).toBe('memory_exceeded');
        expect(await answerOf(small, 'count(*) FROM items')).toBe(2000);
        await small.close();
      });
    });

    describe('callers', () => {
      const SEEN = `SELECT get_user_external_token() AS token, get_username() AS username, get_user_provider() AS provider,
        get_user_email() AS email, get_request_header('X-Number') AS number, get_request_header('user-AGENT') AS agent,
        get_request_header('absent') AS absent, get_request_headers_json() AS headers`;

      it('are told apart, 50 at a time', async () => {
        const rounds = Array.from({ length: 200 }, (_, index) => index % 50);
        const seen = await Promise.all(
          rounds.map(async (index) => (await read(database, SEEN, [], { caller: callerOf(index) })).rows[0]),
        );
        expect(seen).toEqual(
          rounds.map((index) => {
            const { externalToken, username, provider, email, headers } = callerOf(index);
            return {
              token: externalToken,
              username,
              provider,
              email,
              number: String(index),
              agent: headers?.get('user-agent'),
              absent: null,
              headers: JSON.stringify(Object.fromEntries(headers ?? [])),
            };
          }),
        );
      });

      it('are told apart in views, conditions and rows', async () => {
        const rounds = Array.from({ length: 100 }, (_, index) => index % 50);
        const sql = `SELECT owner, n, (SELECT count(*) FROM items WHERE owner = get_username() || '') AS same,
          (SELECT count(DISTINCT get_request_header('x-' || left('number', id + 6))) FROM items WHERE id < 3) AS headers FROM mine`;
        const seen = await Promise.all(
          rounds.map(async (index) => (await read(database, sql, [], { caller: callerOf(index) })).rows[0]),
        );
        expect(seen).toEqual(
          rounds.map((index) => ({ owner: `user ${index}`, n: 40, same: 40, headers: 1 })),
        );
      });

      it('without authentication are NULL', async () => {
        const { rows } = await read(database, SEEN);
        expect(new Set(Object.values(rows[0] ?? {}))).toEqual(new Set([null]));
        expect((await read(database, 'FROM mine')).rows).toEqual([{ n: 0, owner: null }]);
      });

      it('without headers have NULL for them', async () => {
        const { rows } = await read(database, SEEN, [], { caller: { ...callerOf(1), headers: null } });
        expect(rows[0]).toMatchObject({ username: 'user 1', number: null, headers: null });
      });

      it('are text, whatever they are', async () => {
        const { rows, columns } = await read(database, `${SEEN}, get_request_header(NULL) AS none`);
        expect(new Set(columns.map(({ type }) => type))).toEqual(new Set(['VARCHAR']));
        expect(rows[0]?.none).toBeNull();
        const odd = "Robert'); DROP TABLE items; -- \u0000";
        const caller = { ...callerOf(1), username: odd };
        expect(await answerOf(database, 'get_username()', [], { caller })).toBe(odd);
      });
    });

    it('answers 50 calls at once, each its own', async () => {
      const ids = Array.from({ length: 50 }, (_, index) => index * 7);
      const names = await Promise.all(
        ids.map((id) => answerOf(database, 'name FROM items WHERE id = $1', [BigInt(id)])),
      );
      expect(names).toEqual(ids.map((id) => `item ${id}`));
    });
  });
}
