import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import { createHost, failureOf, type Opened } from './subject.ts';

const FILE = { file: 'python/values.py' };

/** What crosses the border, in both directions. */
export function describeValues(opened: () => Opened): void {
  it('every type has the form that SQL values have', async () => {
    const { value } = opened();
    const names = (await value('names', {}, FILE)) as readonly string[];
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const expected = JSON.parse(String(await value('expected', { name }, FILE)));
      expect({ [name]: await value('value', { name }, FILE) }).toEqual({ [name]: expected });
    }
  });

  it('bytes by themselves are told apart from text', async () => {
    const whole = { truncated: false };
    expect(await opened().call('raw', {}, FILE)).toEqual({ ...whole, value: 'AP9hYg==', binary: true });
    expect(await opened().call('generated', {}, FILE)).toEqual({
      ...whole,
      value: [0, 1, 4, 9],
      binary: false,
    });
  });

  it('items of generators arrive whatever stands beside them', async () => {
    const { value } = opened();
    expect(await value('generated_rows', {}, FILE)).toEqual([
      '2024-02-29',
      String(2n ** 70n),
      null,
      { '[1,2]': null },
    ]);
    expect(await value('generated_inside', {}, FILE)).toEqual({
      squares: [0, 1, 4, 9],
      names: ['a', 'b'],
      mean: null,
    });
  });

  it('of a list come only the first items, and nothing makes the others', async () => {
    const { call, value } = opened();
    for (const name of ['list', 'tuple', 'set', 'range', 'generator']) {
      const result = await call('listed', { name }, { ...FILE, maxRows: 3 });
      expect({ [name]: result }).toEqual({ [name]: { value: [0, 1, 2], binary: false, truncated: true } });
    }
    expect(await value('ended', {}, FILE)).toEqual(['ended']);
    const rows = { value: [{ n: 0 }, { n: 1 }], binary: false, truncated: true };
    expect(await call('listed', { name: 'rows' }, { ...FILE, maxRows: 2 })).toEqual(rows);
    expect(await call('generated', {}, { ...FILE, maxRows: 4 })).toMatchObject({ truncated: false });
    expect(await call('generated_inside', {}, { ...FILE, maxRows: 1 })).toMatchObject({ truncated: false });
  });

  it('what has no form is an error that names its type and place', async () => {
    const error = await failureOf(opened().call('foreign', {}, FILE));
    expect(error.code).toBe('python_failed');
    expect(error.message).toMatch(/result\['rows'\]\[1\]\['when'\] is of type \w+\.Plain/);
    expect((await failureOf(opened().call('circle', {}, FILE))).message).toContain('contains itself');
  });

  it('a fraction is not rounded: it has no form, and no SQL type', async () => {
    const { call } = opened();
    expect((await failureOf(call('fraction', {}, FILE))).message).toMatch(
      /result\['share'\] is of type fractions\.Fraction, which has no JSON form/,
    );
    expect((await failureOf(call('bound_fraction', {}, FILE))).message).toMatch(
      /\$share is a Fraction, which has no SQL type/,
    );
  });

  it.each([
    ['columns', "is a DataFrame with two columns 'a', which an object cannot have. Rename one."],
    ['texts', "is a DataFrame with two columns '1', which an object cannot have. Rename one."],
    [
      'labels',
      "is a Series with two values of the label 'x', which an object cannot have. Use `reset_index()`.",
    ],
    ['table', "is a Table with two columns 'a', which an object cannot have. Rename one."],
    ['keys', "has two keys whose text is 'null', which an object cannot have."],
  ])('no value of two with one name is lost: %s', async (name, reason) => {
    const error = await failureOf(opened().call('repeated', { name }, FILE));
    expect(error).toMatchObject({
      code: 'python_failed',
      message: expect.stringContaining(`result['data'] ${reason}`),
    });
  });

  it.each([
    ['mixed', "result['data']", '2024'],
    ['rows', "result['data'][1]", 'true'],
    ['inside', "result['data']['rows'][0][1]['a'][0]", 'null'],
    ['converted', "result['data']['x'][0]", '1.5'],
  ])('nor of two whose keys are the same text: %s', async (name, place, key) => {
    const error = await failureOf(opened().call('repeated', { name }, FILE));
    expect(error.code).toBe('python_failed');
    expect(error.message).toContain(`${place} has two keys whose text is '${key}'`);
  });

  it.each([
    ['text', 'result'],
    ['list', 'result[1]'],
    ['inside', "result['rows'][0]['name']"],
    ['key', "a key of result['rows'][0]"],
    ['path', "result['files'][0]"],
    ['mixed', "result['half']"],
  ])(
    'a text that is not valid Unicode is no result, and the error names its place: %s',
    async (name, place) => {
      const error = await failureOf(opened().call('half', { name }, FILE));
      expect(error.code).toBe('python_failed');
      expect(error.message).toContain(`NoValue: ${place} is a text that is not valid Unicode`);
    },
  );

  it('nor is it a part of a statement', async () => {
    for (const place of ['sql', 'value', 'key']) {
      const host = createHost(async () => []);
      const error = await failureOf(opened().call('bound_half', { place }, { ...FILE, host }));
      expect(error.message).toContain('is not valid Unicode');
      expect(host.asked.statements).toEqual([]);
    }
  });

  it('a result of 10 MB arrives whole', async () => {
    const size = 10 * 1024 * 1024;
    const value = String(await opened().value('large', { size }, FILE));
    expect(value.length).toBe(size);
    const rows = (await opened().value('rows', { many: 1000 }, FILE)) as readonly JsonValue[];
    expect([rows.length, rows[999]]).toEqual([1000, { id: 999, name: 'item 999', price: 249.75 }]);
  });

  it('a result with too many bytes is an error, and the next one is not', async () => {
    const { call, value } = opened();
    for (const [name, args] of [
      ['large', { size: 1_000 }],
      ['rows', { many: 100 }],
    ] as const) {
      expect(await failureOf(call(name, args, { ...FILE, maxBytes: 1_000 }))).toMatchObject({
        code: 'result_too_large',
        message: 'The function returned more than 1000 bytes.',
      });
    }
    expect(await value('large', { size: 998 }, { ...FILE, maxBytes: 1_000 })).toHaveLength(998);
  });

  it('arguments are what their declared types are in Python', async () => {
    const kinds = {
      day: 'date',
      at: 'date-time',
      zoned: 'date-time',
      clock: 'time',
      seconds: 'timestamp',
      price: 'number',
      count: 'integer',
      days: { items: 'date' },
      range: { properties: { from: 'date' } },
      none: 'date',
    };
    const args = {
      day: '2024-02-29',
      at: '2024-02-29T12:34:56.5',
      zoned: '2024-02-29T12:34:56Z',
      clock: '12:34:56+02:00',
      seconds: '253402300799.999999',
      price: 3,
      count: '9007199254740993',
      days: ['2024-02-29'],
      range: { from: '2024-02-29', to: 'x' },
      none: null,
      text: '2024-02-29',
    };
    expect(await opened().value('echo', args, { ...FILE, kinds })).toEqual({
      day: ['date', '2024-02-29'],
      at: ['datetime', '2024-02-29 12:34:56.500000'],
      zoned: ['datetime', '2024-02-29 12:34:56+00:00'],
      clock: ['time', '12:34:56+02:00'],
      seconds: ['datetime', '9999-12-31 23:59:59.999999+00:00'],
      price: ['float', '3.0'],
      count: ['int', '9007199254740993'],
      days: ['list', '[datetime.date(2024, 2, 29)]'],
      range: ['dict', "{'from': datetime.date(2024, 2, 29), 'to': 'x'}"],
      none: ['NoneType', 'None'],
      text: ['str', '2024-02-29'],
    });
    const beyond = opened().call('echo', { day: '0000-01-01' }, { ...FILE, kinds });
    expect((await failureOf(beyond)).message).toContain('the argument day cannot be a date in Python');
  });

  it('parameters of statements keep their types', async () => {
    const host = createHost(async () => []);
    const kinds = {
      day: 'date',
      at: 'date-time',
      zoned: 'date-time',
      clock: 'time',
      count: 'integer',
      price: 'number',
    };
    const args: JsonObject = {
      day: '2024-02-29',
      at: '2024-02-29T12:34:56.5',
      zoned: '2024-02-29T12:34:56+02:00',
      clock: '12:34:56',
      count: '9007199254740993',
      price: 0.5,
      text: 'x',
      yes: true,
      none: null,
      list: [1, 'a'],
      struct: { a: 1 },
    };
    await opened().call('bound', args, { ...FILE, kinds, host });
    expect(host.asked.statements).toEqual([
      {
        sql: 'SELECT * FROM given',
        params: {
          day: { sqlType: 'DATE', text: '2024-02-29' },
          at: { sqlType: 'TIMESTAMP', text: '2024-02-29T12:34:56.5' },
          zoned: { sqlType: 'TIMESTAMPTZ', text: '2024-02-29T10:34:56Z' },
          clock: { sqlType: 'TIME', text: '12:34:56' },
          count: 9007199254740993n,
          price: 0.5,
          text: 'x',
          yes: true,
          none: null,
          list: { list: [1n, 'a'] },
          struct: { struct: { a: 1n } },
        },
      },
    ]);
  });

  it('a time that SQL cannot hold is no parameter, and one that is missing is null', async () => {
    const host = createHost(async () => []);
    const kinds = { clock: 'time' };
    const call = (clock: string) => opened().call('bound', { clock }, { ...FILE, kinds, host });
    expect((await failureOf(call('12:34:56+02:00'))).message).toMatch(
      /^\S+ TypeError: \$clock has an offset/,
    );
    await call('12:34:56Z');
    await opened().call('bound_nothing', {}, { ...FILE, host });
    expect(host.asked.statements.map(({ params }) => params)).toEqual([
      { clock: { sqlType: 'TIME', text: '12:34:56' } },
      { at: null },
    ]);
  });

  it('members of an Enum are the texts that they hold, as names too', async () => {
    const host = createHost(async () => []);
    await opened().call('bound_words', {}, { ...FILE, host });
    const struct = { struct: { c: 'd', red: 1n } };
    expect(host.asked.statements.map(({ params }) => params)).toEqual([{ yes: 'yes', b: struct }]);
  });

  it('a Decimal that is too small for a DOUBLE is no parameter', async () => {
    const error = await failureOf(opened().call('bound_tiny', {}, FILE));
    expect(error.message).toMatch(/TypeError: \$tiny has digits that a DOUBLE does not keep/);
  });

  it('a STRUCT in a parameter loses no value', async () => {
    const error = await failureOf(opened().call('bound_twice', {}, FILE));
    expect(error.message).toMatch(
      /TypeError: \$struct has two keys of one text, which a STRUCT cannot have$/,
    );
  });
}
