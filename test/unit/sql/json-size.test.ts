import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import {
  leastBignumBytes,
  leastBitBytes,
  leastBytes,
  leastRowBytes,
  lengthOfEntry,
  lengthOfFields,
  lengthOfItems,
  rowsWithin,
} from '../../../src/sql/json-size.ts';
import { ROUNDS, randomFrom } from './random.ts';

const TEXTS = ['', 'a', 'é', '東京', '😀', '"\\\n', 'x'.repeat(50)];

function randomValue(random: () => number, depth: number): JsonValue {
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const items = () => Array.from({ length: Math.floor(random() * 4) }, () => randomValue(random, depth - 1));
  const kind = depth === 0 ? Math.floor(random() * 3) : Math.floor(random() * 5);
  if (kind === 0) return pick(TEXTS) ?? '';
  if (kind === 1) return pick([0, -1.5, 12345678901, 1e300]) ?? 0;
  if (kind === 2) return pick([null, true, false]) ?? null;
  return kind === 3 ? items() : toObject(items());
}

function toObject(values: readonly JsonValue[]): JsonObject {
  return Object.fromEntries(values.map((value, index) => [`${TEXTS[index]}${index}`, value]));
}

describe('the least bytes of JSON', () => {
  it('are never more than its bytes, and at least half of them for plain texts', () => {
    const random = randomFrom(7);
    for (let round = 0; round < ROUNDS; round += 1) {
      const value = randomValue(random, 3);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      expect([text, leastBytes(value) <= Buffer.byteLength(text)]).toEqual([text, true]);
    }
    const texts = Array.from({ length: 100 }, () => 'plain text');
    expect(leastBytes(texts)).toBeGreaterThan(JSON.stringify(texts).length / 2);
  });

  it('of rows have their names, except of those with one column', () => {
    expect(leastRowBytes({ a: 'xx', bc: 1 }, ['a', 'bc'])).toBe(14);
    expect(leastRowBytes({ name: 'xx' }, ['name'])).toBe(2);
  });
});

describe('a value of many levels', () => {
  const lists = (levels: number): JsonValue => (levels === 0 ? 1 : [lists(levels - 1)]);
  const objects = (levels: number): JsonValue => (levels === 0 ? 1 : { a: objects(levels - 1) });

  it.each([lists, objects])('is refused beyond 1000 levels: %o', (nest) => {
    expect(leastBytes(nest(1000))).toBeGreaterThan(1000);
    expect(() => leastBytes(nest(1001))).toThrow(
      expect.objectContaining({ code: 'sql_failed', message: expect.stringContaining('1000 levels') }),
    );
  });
});

describe('the least bytes of a value before it is read', () => {
  const texts = (row: number) => [3, 0, 4, 9][row] ?? 0;

  it('are those of the parts and what stands around them', () => {
    expect(lengthOfFields([texts, null])(2)).toBe(leastBytes(['xxxx', 1]));
    expect(lengthOfItems(lengthOfEntry(texts, null), 100)({ start: 0, length: 2 })).toBe(
      leastBytes({ xxx: 1, '': 1 }),
    );
    // The key may be the empty word of an ENUM.
    expect(lengthOfItems(lengthOfEntry(null, null), 100)({ start: 0, length: 1 })).toBe(
      leastBytes({ '': 1 }),
    );
    expect(lengthOfItems(null, 100)({ start: 5, length: 3 })).toBe(leastBytes([1, 2, 3]));
    expect(lengthOfItems(texts, 100)({ start: 1, length: 2 })).toBe(leastBytes(['', 'xxxx']));
    expect(lengthOfItems(texts, 100)({ start: 1, length: 0 })).toBe(leastBytes([]));
  });

  it('are added up until they are more than asked for', () => {
    const read: number[] = [];
    const lengthOf = lengthOfItems((row) => read.push(row), 11);
    expect(lengthOf({ start: 7, length: 9 })).toBe(13);
    expect(read).toEqual([7, 8]);
  });

  it('are never more than the digits of a BIT and a BIGNUM', () => {
    expect([1, 2, 3].map(leastBitBytes)).toEqual([0, 0, 8]);
    expect([3, 4, 5].map(leastBignumBytes)).toEqual([0, 0, 2]);
  });
});

describe('rows within bytes', () => {
  const lengths = [(row: number) => [3, 0, 4, 9][row] ?? 0, () => 1];
  it.each([
    [100, 4],
    [10, 3],
    [9, 2],
    [4, 1],
    [3, 0],
  ])('%i are %i', (bytes, count) => {
    expect(rowsWithin(bytes, 4, lengths)).toBe(count);
  });

  it('are all where no column has lengths, or no bytes are given', () => {
    expect(rowsWithin(0, 4, [])).toBe(4);
    expect(rowsWithin(Number.POSITIVE_INFINITY, 4, lengths)).toBe(4);
  });
});
