import { describe, expect, it } from 'vitest';
import { createFormats, fromSeconds } from '../../../views/format.ts';

const { text, along, axis, compare } = createFormats({ locale: 'en-US', timeZone: 'Europe/Berlin' });

describe('a value in a view', () => {
  // Requirements: view.reader
  it.each([
    ['2024-02-29', 'Feb 29, 2024'],
    ['2024-01-01T10:00:00', 'Jan 1, 2024, 10:00 AM'],
    ['2024-01-01T10:00:00Z', 'Jan 1, 2024, 11:00 AM'],
    ['2024-01-01 10:00:59.5', 'Jan 1, 2024, 10:00:59 AM'],
    [1234.5678, '1,234.5678'],
    [0.1234567, '0.123457'],
    ['9007199254740993', '9007199254740993'],
    [null, ''],
    [{ a: 1 }, '{"a":1}'],
  ])('%j is shown as %j', (value, shown) => {
    expect(text(value).replaceAll('\u202f', ' ')).toBe(shown);
  });

  // Requirements: view.reader
  it.each([
    ['12345678901234567890.12', '12.345.678.901.234.567.890,12'],
    ['9007199254740993', '9.007.199.254.740.993'],
    [1234.5, '1.234,5'],
    [null, ''],
    ['1e400', '1e400'],
    ['0042', '0042'],
  ])('of a column of numbers has all its digits in the language: %j is %s', (value, shown) => {
    expect(createFormats({ locale: 'de-DE' }).number(value)).toBe(shown);
  });

  it('is the moment of a number of seconds, where it is one', () => {
    expect(['1700000000.5', 0, null, 'x', '1e300'].map(fromSeconds)).toEqual([
      '2023-11-14T22:13:20.500Z',
      '1970-01-01T00:00:00.000Z',
      null,
      'x',
      '1e300',
    ]);
  });

  it.each(['0000-00-00', '2024-02-30', '2024-13-45', '2023-02-29T10:00:00', '2024-01-01 25:61'])(
    '%s, which is no date, is shown as it is',
    (value) =>
      expect([text(value), ...along([value])]).toEqual([
        value,
        value.length > 12 ? expect.any(String) : value,
      ]),
  );

  it.each([
    [0.00000035, '0.00000035'],
    [-4e-8, '-0.00000004'],
    [0.000_001_5, '0.0000015'],
    [1.25e-12, '1.25E-12'],
    [0, '0'],
  ])('%d is not rounded to another number', (value, shown) => expect(text(value)).toBe(shown));
});

describe('the labels of an axis', () => {
  it.each([
    [10_000, 10_100, 10_200],
    [1_000_000, 1_000_500, 1_001_000],
    [1_200_000, 1_400_000],
    [0, 1e-8, 2e-8],
    [0.000_000_1, 0.000_000_2],
    [1, 1.000_000_02],
    [1_700_000_000_000, 1_700_000_000_010, 1_700_000_000_020],
    [1_700_000_000_000_000, 1_700_000_000_000_040],
  ])('differ for %d, %d', (...ticks) => {
    expect(new Set(axis(ticks)).size).toBe(ticks.length);
  });

  it('are short for round numbers', () => {
    expect(axis([0, 0.25, 9_000, 10_500, 2_000_000])).toEqual(['0', '0.25', '9000', '10.5K', '2M']);
  });

  it('name the minute of a moment', () => {
    const labels = along(['2024-01-01T10:00:00', '2024-01-01T11:00:00']);
    expect(labels.map((one) => one.replaceAll('\u202f', ' '))).toEqual([
      '1/1/24, 10:00 AM',
      '1/1/24, 11:00 AM',
    ]);
  });
});

describe('the labels along an axis', () => {
  it.each([
    [['short', 'a very long name']],
    [['Department of Health', 'Department of Defense', 'Department of Education']],
  ])('are short, and differ where the values do: %j', (values) => {
    const labels = along(values);
    expect(labels.every(({ length }) => length <= 12)).toBe(true);
    expect(new Set(labels).size).toBe(values.length);
  });

  it('have the whole date in each language', () => {
    expect(createFormats({ locale: 'fr-FR' }).along(['2024-01-11'])).toEqual(['11 janv. 2024']);
  });
});

describe('the order of values', () => {
  // Requirements: view.sort
  it('is that of numbers, also of those that a double cannot hold, and else of the language', () => {
    const ids = ['9007199254740994', '9007199254740993', 12, '-5'];
    expect(ids.toSorted(compare)).toEqual(['-5', 12, '9007199254740993', '9007199254740994']);
    expect(['b', 'ä', 'a'].toSorted(compare)).toEqual(['a', 'ä', 'b']);
  });

  // Requirements: view.reader
  it.each([
    [{ locale: 'en_US', timeZone: 'Pacific/Kiritimati' }, '2024-01-31T20:00:00Z', /Feb/],
    [{ locale: 'de-DE', timeZone: 'Nowhere/None' }, '2024-01-01T20:00:00Z', /^0[12]\.01\.2024, \d\d:\d\d$/],
  ])('of a reader keeps the language or the time zone that is known: %j', (reader, value, shown) => {
    expect(createFormats(reader).text(value)).toMatch(shown);
  });

  it('does not fail for a language that the browser does not know', () => {
    const odd = createFormats({ locale: 'en_US' });
    expect(['b', 'a'].toSorted(odd.compare)).toEqual(['a', 'b']);
  });
});
