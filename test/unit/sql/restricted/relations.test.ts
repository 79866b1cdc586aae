import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import type { JsonObject } from '../../../../src/json.ts';
import type { RestrictedTable } from '../../../../src/ports.ts';
import { quoteFiles, quoteName, quoteText } from '../../../../src/sql/quote.ts';
import { toRowFilter } from '../../../../src/sql/restricted/condition.ts';
import { prepareRestricted, toPreparationError } from '../../../../src/sql/restricted/relations.ts';

const table = (name: string, more: Partial<RestrictedTable> = {}): RestrictedTable => ({
  name,
  rows: null,
  hide: [],
  mask: {},
  ...more,
});
const relation = (name: string, schema = 'main', type = 'BASE TABLE'): JsonObject => ({
  kind: 'table',
  name,
  schema,
  type,
});
const SURROUNDINGS: readonly JsonObject[] = [
  { kind: 'own', name: 'data', schema: '', type: '' },
  { kind: 'qualifier', name: 'data', schema: '', type: '' },
  { kind: 'qualifier', name: 'Temp', schema: '', type: '' },
  { kind: 'internal', name: 'new_view', schema: '', type: '' },
  relation('Staff'),
  relation('orders'),
  relation('latest', 'main', 'VIEW'),
  relation('more', 'Other'),
  relation('plans', 'closed'),
  relation('twice', 'main'),
  relation('a.b', 'main'),
  relation('b', 'a'),
];
const LEAVE = { sql: "SET search_path = 'temp'", values: [], table: null };

const NUMBERS = '^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL|FLOAT|DOUBLE|BIGNUM)';
const EXACT = '^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE)$';
const isA = (column: string, types: string) => `regexp_matches(typeof("t"."${column}"), '${types}')`;
/** A comparison with a number: beside numbers, and beside texts. */
const ofNumber = (column: string, compared: string, written?: string) =>
  `(CASE WHEN ${isA(column, EXACT)} THEN ${compared} WHEN ${isA(column, NUMBERS)} THEN TRY(${compared})${
    written === undefined ? '' : ` WHEN ${isA(column, '^VARCHAR$')} THEN ${written}`
  } END)`;
const equals = (column: string, at: number) =>
  ofNumber(column, `("t"."${column}" = $${at})`, `("t"."${column}" = $${at + 1})`);
const inBytes = (column: string) => `(CAST("t"."${column}" AS VARCHAR) COLLATE C)`;
/** The answer for columns of texts, by their characters, and that for others. */
const onText = (column: string, compared: string, others: string) =>
  `(CASE WHEN ${isA(column, '^VARCHAR$')} THEN ${compared.replaceAll(`"t"."${column}"`, inBytes(column))} WHEN TRUE THEN ${others} END)`;
/** A comparison with a number of texts: beside texts, as they are, as casts, and as casts beside numbers. */
const ofText = (
  column: string,
  compare: (given: (at: number) => string) => string,
  { count = 1, misread = false } = {},
) => {
  const cast = (at: number) => `TRY(cast_to_type($${at}, "t"."${column}"))`;
  const others = `(CASE WHEN ${isA(column, '^BOOLEAN')} THEN NULL WHEN ${isA(column, NUMBERS)} THEN ${compare(
    misread ? () => 'NULL' : cast,
  )} WHEN ${isA(column, '^(ENUM|VARIANT)')} THEN TRY(${compare((at) => `$${at}`)}) WHEN TRUE THEN ${compare(cast)} END)`;
  return onText(
    column,
    compare((at) => `$${count + at}`),
    others,
  );
};
const TEXTS = '^(VARCHAR$|ENUM)';
const WHOLE = '^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM)$';
/** A comparison of the columns a and b: as texts, as a text and a whole number, and others. */
const betweenColumns = (
  compare: (one: string, other: string) => string,
  { texts = true, written = '' } = {},
) => {
  const both = (types: string, word: string) => `${isA('a', types)} ${word} ${isA('b', types)}`;
  const asTexts = `WHEN ${both(TEXTS, 'AND')} AND (${both('^VARCHAR$', 'OR')}) THEN TRY(${compare(inBytes('a'), inBytes('b'))}) `;
  return `(CASE ${texts ? asTexts : ''}WHEN ${both('^BOOLEAN', '<>')} THEN NULL ${
    written === '' ? '' : `WHEN ${both(WHOLE, '<>')} AND ${both('^VARCHAR$', '<>')} THEN ${written} `
  }WHEN ${both(NUMBERS, '<>')} THEN NULL WHEN TRUE THEN TRY(${compare('"t"."a"', '"t"."b"')}) END)`;
};
/** A comparison of numbers that NaN never passes. */
const noNaN = (compared: string, column: string) =>
  `(${compared} AND NOT (typeof("t"."${column}") IN ('FLOAT', 'DOUBLE') AND isnan(TRY_CAST("t"."${column}" AS DOUBLE))))`;
const truth = (column: string) => `(CASE WHEN ${isA(column, '^BOOLEAN$')} THEN "t"."${column}" END)`;

const prepared = (sql: string, ...tables: readonly RestrictedTable[]) =>
  prepareRestricted(sql, tables, SURROUNDINGS);

describe('the preparation of a restricted statement', () => {
  it('makes a view of a table whose rows are all visible', () => {
    expect(prepared('FROM staff', table('staff'))).toEqual([
      {
        sql: 'CREATE TEMP VIEW "Staff" AS SELECT * FROM "data"."main"."Staff" AS t',
        values: [],
        table: 'staff',
      },
      LEAVE,
    ]);
  });

  it('copies visible rows, without hidden columns and with masked ones', () => {
    const rule = table('STAFF', {
      rows: { left: { column: 'region' }, operator: '=', right: { value: 'EU' } },
      hide: ['pay', 'no"te'],
      mask: { ssn: '**', mail: "o'n" },
    });
    expect(prepared('SELECT 1 FROM "sTaff"', rule)).toEqual([
      {
        sql: `CREATE TEMP TABLE "Staff" AS SELECT * EXCLUDE ("pay", "no""te") REPLACE ('**' AS "ssn", 'o''n' AS "mail") FROM "data"."main"."Staff" AS t WHERE ${ofText('region', (given) => `("t"."region" = ${given(1)})`)}`,
        values: ['EU', 'EU'],
        table: 'STAFF',
      },
      LEAVE,
    ]);
  });

  it("copies the rows of the project's views, whose filters are restrictions too, before a table has its name", () => {
    const statements = prepared('FROM orders, latest', table('orders'), table('latest'));
    expect(statements.map(({ sql }) => sql)).toEqual([
      'CREATE TEMP TABLE "svc copy 0" AS SELECT * FROM "data"."main"."latest" AS t',
      'ALTER TABLE temp.main."svc copy 0" RENAME TO "latest"',
      'CREATE TEMP VIEW "orders" AS SELECT * FROM "data"."main"."orders" AS t',
      LEAVE.sql,
    ]);
    expect(statements.map((one) => one.table)).toEqual(['latest', 'latest', 'orders', null]);
    expect(statements.flatMap(({ values }) => values)).toEqual([]);
  });

  it('gives a table of another schema the name that list_tables shows', () => {
    expect(prepared('FROM "other.more"', table('other.more'))[0]?.sql).toBe(
      'CREATE TEMP VIEW "Other.more" AS SELECT * FROM "data"."Other"."more" AS t',
    );
  });

  it('leaves out tables that the statement does not name, and rules for tables that are not there', () => {
    expect(prepared('FROM orders', table('staff'), table('orders'), table('gone'))).toHaveLength(2);
    expect(prepared('SELECT 1', table('staff'))).toEqual([LEAVE]);
    expect(prepared('FROM gone', table('gone'))).toEqual([LEAVE]);
  });

  it('is refused for a name that two tables have, if the statement uses it', () => {
    expect(() => prepared('FROM "a.b"', table('a.b'))).toThrow(
      expect.objectContaining({
        code: 'project_invalid',
        message: expect.stringContaining('two tables have this name'),
      }),
    );
    expect(prepared('FROM staff', table('a.b'), table('staff'))).toHaveLength(2);
  });

  it.each([
    ['FROM data.main.staff', 'qualifies a name with data'],
    ['FROM temp.staff', 'qualifies a name with temp'],
    ['FROM main.plans', 'qualifies a name with main'],
    ['FROM other.more', 'Write the table as one name'],
    ['FROM new_view', 'names new_view'],
  ])('is refused for %s', (sql, message) => {
    expect(() => prepared(sql, table('staff'), table('other.more'))).toThrow(message);
  });

  it('does not tell that a schema exists of which the caller sees no table', () => {
    expect(prepared('FROM closed.plans', table('staff'))).toEqual([LEAVE]);
  });
});

describe('the error of a preparation', () => {
  const step = { sql: '', values: [], table: 'staff' };
  const told = (message: string) => {
    const error = toPreparationError(new SvcError('sql_failed', message), step);
    return error instanceof SvcError ? `${error.code}: ${error.message}` : 'none';
  };

  it.each(['Binder Error: no column pay', 'Catalog Error: no table', 'Parser Error: at "x"'])(
    'names what is missing: %s',
    (message) => {
      expect(told(`${message}\nLINE 1: the rest`)).toBe(
        `project_invalid: The rule of \`sql_tools.tables\` for staff cannot be applied: ${message}`,
      );
    },
  );

  it.each([
    ["Conversion Error: Could not convert string 'secret' to INT32", 'Conversion Error'],
    ['Invalid Input Error: Binder Error: secret', 'Invalid Input Error'],
  ])('quotes no value: %s', (message, kind) => {
    expect(told(message)).toMatch(new RegExp(`cannot be applied: ${kind}$`));
  });

  it('stays what it is for anything else', () => {
    const late = new SvcError('deadline_exceeded', 'Late.');
    expect(toPreparationError(late, step)).toBe(late);
    expect(toPreparationError('x', step)).toBe('x');
  });
});

describe('a condition as SQL', () => {
  it.each([
    [{ is: true }, 'TRUE', []],
    [{ is: false }, 'FALSE', []],
    [{ is: null }, 'NULL::BOOLEAN', []],
    [{ column: 'ok"' }, truth('ok""'), []],
    [{ not: { column: 'ok' } }, `(NOT ${truth('ok')})`, []],
    [{ missing: { column: 'a' } }, '("t"."a" IS NULL)', []],
    [{ every: [{ column: 'a' }, { is: null }] }, `(${truth('a')} AND NULL::BOOLEAN)`, []],
    [{ some: [{ column: 'a' }, { column: 'b' }] }, `(${truth('a')} OR ${truth('b')})`, []],
    [{ left: { column: 'a' }, operator: '<=', right: { value: 1n } }, ofNumber('a', '("t"."a" <= $1)'), [1n]],
    [
      { left: { value: 1n }, operator: '<=', right: { column: 'a' } },
      ofNumber('a', noNaN('$1 <= "t"."a"', 'a')),
      [1n],
    ],
    [
      { left: { value: 1n }, operator: '<', right: { column: 'a' } },
      ofNumber('a', noNaN('$1 < "t"."a"', 'a')),
      [1n],
    ],
    [
      { left: { column: 'a' }, operator: '>', right: { value: 1n } },
      ofNumber('a', noNaN('"t"."a" > $1', 'a')),
      [1n],
    ],
    [
      { left: { column: 'a' }, operator: '>', right: { column: 'b' } },
      betweenColumns(
        (one, other) =>
          `(${one} > ${other} AND NOT (typeof(${one}) IN ('FLOAT', 'DOUBLE') AND isnan(TRY_CAST(${one} AS DOUBLE))))`,
      ),
      [],
    ],
    [
      { left: { column: 'a' }, operator: '<>', right: { value: 'x' } },
      ofText('a', (given) => `("t"."a" <> ${given(1)})`),
      ['x', 'x'],
    ],
    [
      { left: { value: '02' }, operator: '=', right: { column: 'a' } },
      ofText('a', (given) => `(${given(1)} = "t"."a")`, { misread: true }),
      ['02', '02'],
    ],
    [
      { left: { column: 'a' }, operator: '=', right: { value: true } },
      `(CASE WHEN ${isA('a', '^BOOLEAN')} THEN ${onText('a', 'TRY(("t"."a" = $2))', 'TRY(("t"."a" = $1))')} END)`,
      [true, true],
    ],
    [
      { left: { column: 'a' }, operator: '=', right: { column: 'b' } },
      betweenColumns((one, other) => `(${one} = ${other})`, {
        written: '(CAST("t"."a" AS VARCHAR) = CAST("t"."b" AS VARCHAR))',
      }),
      [],
    ],
    [
      { left: { column: 'a' }, operator: '<>', right: { column: 'b' } },
      betweenColumns((one, other) => `(${one} <> ${other})`, {
        written: '(CAST("t"."a" AS VARCHAR) <> CAST("t"."b" AS VARCHAR))',
      }),
      [],
    ],
    [
      { left: { column: 'a' }, operator: 'in', right: { value: { list: ['x', { list: ['y'] }] } } },
      `(CASE WHEN NOT ${isA('a', '^BOOLEAN')} THEN TRY(("t"."a" IN ($1, $2))) END)`,
      ['x', { list: ['y'] }],
    ],
    [
      { left: { column: 'a' }, operator: 'in', right: { column: 'b' } },
      betweenColumns((one, other) => `list_contains(${other}, ${one})`, { texts: false }),
      [],
    ],
    [
      { left: { column: 'a' }, operator: 'in', right: { value: { list: ['x', 'y'] } } },
      ofText('a', (given) => `("t"."a" IN (${given(1)}, ${given(2)}))`, { count: 2 }),
      ['x', 'y', 'x', 'y'],
    ],
    [
      { left: { column: 'a' }, operator: 'in', right: { value: { list: ['0', '5', '-120'] } } },
      ofText('a', (given) => `("t"."a" IN (${given(1)}, ${given(2)}, ${given(3)}))`, { count: 3 }),
      ['0', '5', '-120', '0', '5', '-120'],
    ],
    [
      { left: { column: 'a' }, operator: 'in', right: { value: { list: ['+5', '05', '1.5'] } } },
      ofText('a', (given) => `("t"."a" IN (${given(1)}, ${given(2)}, ${given(3)}))`, {
        count: 3,
        misread: true,
      }),
      ['+5', '05', '1.5', '+5', '05', '1.5'],
    ],
    [
      { left: { column: 'a' }, operator: 'in', right: { value: { list: [1n, 2n] } } },
      ofNumber('a', '("t"."a" IN ($1, $2))', '("t"."a" IN ($3, $4))'),
      [1n, 2n, '1', '2'],
    ],
    [
      { left: { value: 1n }, operator: 'in', right: { column: 'a' } },
      ofNumber('a', 'list_contains("t"."a", $1)'),
      [1n],
    ],
    [
      { left: { column: 'a' }, operator: 'starts_with', right: { value: 'x' } },
      onText('a', 'starts_with("t"."a", $2)', 'starts_with("t"."a", $1)'),
      ['x', 'x'],
    ],
    [
      { left: { column: 'a' }, operator: 'contains', right: { column: 'b' } },
      `(CASE WHEN ${isA('a', TEXTS)} AND ${isA('b', TEXTS)} AND (${isA('a', '^VARCHAR$')} OR ${isA('b', '^VARCHAR$')}) THEN TRY(contains(${inBytes('a')}, ${inBytes('b')})) WHEN TRUE THEN TRY(contains("t"."a", "t"."b")) END)`,
      [],
    ],
    [
      {
        every: [
          { left: { column: 'a' }, operator: '=', right: { value: 1n } },
          { not: { left: { column: 'b' }, operator: '=', right: { value: 2n } } },
        ],
      },
      `(${equals('a', 1)} AND (NOT ${equals('b', 3)}))`,
      [1n, '1', 2n, '2'],
    ],
  ] as const)('%#', (condition, sql, values) => {
    expect(toRowFilter(condition, 't')).toEqual({ sql, values });
  });

  it.each([
    [[1n, 'x'], isA('a', NUMBERS)],
    [[true, 'x'], isA('a', '^BOOLEAN')],
    [['x', 'y'], `NOT ${isA('a', '^BOOLEAN')}`],
    [['x', '02'], `NOT ${isA('a', `^BOOLEAN|${NUMBERS}`)}`],
  ])('compares with a list only columns that take none of its items for another value: %#', (list, fits) => {
    const condition = { left: { column: 'a' }, operator: '=', right: { value: { list } } } as const;
    const sql = `(CASE WHEN ${fits} THEN TRY(("t"."a" = $1)) END)`;
    expect(toRowFilter(condition, 't')).toEqual({ sql, values: [{ list }] });
  });

  it('quotes names and texts, and drops what would end the statement', () => {
    expect(quoteName('a"b\0"c')).toBe('"a""b""c"');
    expect(quoteText("it's\0 'x'")).toBe("'it''s ''x'''");
  });

  it('quotes paths as patterns that match these files only', () => {
    expect(quoteFiles(['a.csv', 'data[1].csv', "it's*?.csv"])).toBe(
      "['a.csv', 'data[[]1].csv', 'it''s[*][?].csv']",
    );
  });
});
