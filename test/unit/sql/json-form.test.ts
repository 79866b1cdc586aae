import { describe, expect, it } from 'vitest';
import { jsonForm } from '../../../src/sql/json-form.ts';
import { ROUNDS, randomDigits, randomFrom, toFraction } from './random.ts';

describe('jsonForm', () => {
  it('parses, and keeps the numbers that a double would change as text', () => {
    expect(jsonForm('{"a":[1,2.5,null,true,"x"]}')).toEqual({ a: [1, 2.5, null, true, 'x'] });
    expect(jsonForm('[12345678901234567890, 0.30000000000000004, 1e400, 1.00000000000000000000]')).toEqual([
      '12345678901234567890',
      0.30000000000000004,
      '1e400',
      1,
    ]);
    expect(jsonForm('"1234567890123456789"')).toBe('1234567890123456789');
    expect(jsonForm('-0.0000000000000000')).toBe(-0);
  });

  it('takes what DuckDB takes for JSON', () => {
    expect(jsonForm('[NaN, -Infinity, "NaN, \\"Infinity\\",]", {"a": 1,},]')).toEqual([
      null,
      null,
      'NaN, "Infinity",]',
      { a: 1 },
    ]);
    expect(jsonForm('inf')).toBeNull();
  });

  it.each(['1234567890123456789', 'nan, 1234567890123456789'])(
    'refuses %s at a depth beyond the stack',
    (text) => {
      const deep = `${'['.repeat(100_000)}${text}${']'.repeat(100_000)}`;
      expect(() => jsonForm(deep)).toThrow(
        expect.objectContaining({ code: 'sql_failed', message: expect.stringContaining('levels deep') }),
      );
    },
  );

  // DuckDB makes it of [NULL::JSON].
  it('refuses text that is not JSON', () => {
    expect(() => jsonForm('[NULL]')).toThrow(
      expect.objectContaining({
        code: 'sql_failed',
        message: 'The result has a value of type JSON that is not JSON.',
      }),
    );
  });

  it('keeps every number or its text', () => {
    const random = randomFrom(7);
    for (let round = 0; round < ROUNDS; round += 1) {
      const text = `${BigInt(randomDigits(random, 25))}.${randomDigits(random, 20)}e${Math.floor(random() * 40) - 20}`;
      const form = jsonForm(text);
      const [got, want] = [toFraction(String(form)), toFraction(text)];
      expect(got.unscaled * 10n ** BigInt(want.scale)).toBe(want.unscaled * 10n ** BigInt(got.scale));
    }
  });
});
