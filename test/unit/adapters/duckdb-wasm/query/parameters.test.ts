import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../../../../scripts/build-wasm.ts';
import type { JsonValue } from '../../../../../src/json.ts';
import type { Database } from '../../../../../src/ports.ts';
import { integerForm } from '../../../../../src/sql/forms.ts';
import type { SqlValue } from '../../../../../src/sql-value.ts';
import { failureOf, openShared, read } from '../fixture.ts';

let database: Database;
beforeAll(async () => {
  await buildWasm();
  database = await openShared();
});
afterAll(() => database.close());

async function boundAs(
  value: SqlValue,
): Promise<{ value: JsonValue | undefined; type: JsonValue | undefined }> {
  const { rows } = await read(database, 'SELECT $1 AS value, typeof($1) AS type', { values: [value] });
  return { value: rows[0]?.value, type: rows[0]?.type };
}

/** A source of the same noise on every run. */
function createNoise(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('parameters', () => {
  it.each<[SqlValue, JsonValue, string]>([
    [null, null, '"NULL"'],
    [true, true, 'BOOLEAN'],
    [false, false, 'BOOLEAN'],
    [0n, 0, 'INTEGER'],
    [-5n, -5, 'INTEGER'],
    [2n ** 31n, 2147483648, 'BIGINT'],
    [2n ** 53n, '9007199254740992', 'BIGINT'],
    [-(2n ** 63n), '-9223372036854775808', 'BIGINT'],
    [2n ** 63n, '9223372036854775808', 'HUGEINT'],
    [-(2n ** 127n), '-170141183460469231731687303715884105728', 'HUGEINT'],
    [2.5, 2.5, 'DOUBLE'],
    [3, 3, 'DOUBLE'],
    [Number.NaN, null, 'DOUBLE'],
    ['', '', 'VARCHAR'],
    ['\ufeffmarked', '\ufeffmarked', 'VARCHAR'],
    ['\ufeffmarked, and longer than inline', '\ufeffmarked, and longer than inline', 'VARCHAR'],
    ["it's; -- $1 /* */ \\ \0 🦆", "it's; -- $1 /* */ \\ \0 🦆", 'VARCHAR'],
    [{ sqlType: 'DATE', text: '2024-02-29' }, '2024-02-29', 'DATE'],
    [{ sqlType: 'TIME', text: '10:11:12.5' }, '10:11:12.5', 'TIME'],
    [{ sqlType: 'TIMESTAMP', text: '2024-02-28T10:00:00.123456' }, '2024-02-28T10:00:00.123456', 'TIMESTAMP'],
    [
      { sqlType: 'TIMESTAMPTZ', text: '2024-02-28T10:00:00+02:00' },
      '2024-02-28T08:00:00Z',
      'TIMESTAMP WITH TIME ZONE',
    ],
    [{ sqlType: 'INTERVAL', text: '1 years 2 days 3 seconds' }, 'P1Y2DT3S', 'INTERVAL'],
    [{ list: [] }, [], '"NULL"[]'],
    [{ list: [1n, null, 3n] }, [1, null, 3], 'INTEGER[]'],
    [{ list: [1n, 2.5] }, [1, 2.5], 'DOUBLE[]'],
    [{ list: [1n, 2n ** 70n] }, [1, String(2n ** 70n)], 'HUGEINT[]'],
    [{ list: ['a', 1n] }, ['a', '1'], 'VARCHAR[]'],
    [{ list: [{ list: [] }, { list: ['x'] }] }, [[], ['x']], 'VARCHAR[][]'],
    [{ struct: { a: 1n, 'b c': 'x' } }, { a: 1, 'b c': 'x' }, 'STRUCT(a INTEGER, "b c" VARCHAR)'],
    [
      { list: [{ struct: { a: 1n } }, { struct: { a: null } }, { struct: { a: 2.5 } }] },
      [{ a: 1 }, { a: null }, { a: 2.5 }],
      'STRUCT(a DOUBLE)[]',
    ],
  ])('%s arrives as itself', async (value, form, type) => {
    expect(await boundAs(value)).toEqual({ value: form, type });
  });

  it('leave integers integers, so that an index or a zone map still counts', async () => {
    const { rows } = await read(database, 'SELECT id, typeof($1) AS type FROM users WHERE id = $1', {
      values: [7n],
    });
    expect(rows).toEqual([{ id: 7, type: 'INTEGER' }]);
  });

  it('arrive as themselves whatever text they hold', async () => {
    const noise = createNoise(20_260_729);
    const pieces = ["'", '"', '\\', '\0', '\n', ';', '--', '$1', '{', ']', '🦆', 'é', '%s', 'x', ' '];
    for (let round = 0; round < 200; round += 1) {
      const text = Array.from({ length: noise(40) }, () => pieces[noise(pieces.length)]).join('');
      expect(await boundAs({ list: [text, null] })).toEqual({ value: [text, null], type: 'VARCHAR[]' });
    }
  });

  it('arrive as themselves whatever number they are', async () => {
    const noise = createNoise(7);
    for (let round = 0; round < 200; round += 1) {
      const bits = noise(126);
      const integer = (BigInt(noise(2 ** 31)) << BigInt(bits)) >> 30n;
      const signed = noise(2) === 0 ? integer : -integer;
      const bits64 = BigInt.asIntN(64, signed) === signed;
      const type = BigInt.asIntN(32, signed) === signed ? 'INTEGER' : bits64 ? 'BIGINT' : 'HUGEINT';
      expect(await boundAs(signed)).toEqual({
        value: integerForm(signed),
        type,
      });
      const double = (noise(2 ** 31) - 2 ** 30) * 2 ** (noise(200) - 100);
      expect((await boundAs(double)).value).toBe(double + 0);
    }
  });

  it('are counted', async () => {
    for (const values of [[], [1n, 2n]]) {
      const failure = await failureOf(read(database, 'SELECT $1 AS a', { values }));
      expect(failure.code).toBe('sql_failed');
      expect(failure.message).toMatch(/takes 1 parameters?, but [02] were given/);
    }
  });

  it('that DuckDB cannot read are the statement’s failure', async () => {
    const bad: SqlValue[] = [
      { sqlType: 'DATE', text: '2024-02-30' },
      { sqlType: 'TIME', text: "'" },
      2n ** 200n,
    ];
    for (const value of bad) {
      expect(await failureOf(read(database, 'SELECT $1 AS a', { values: [value] }))).toMatchObject({
        code: 'sql_failed',
      });
    }
  });
});
