import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json.ts';
import {
  bignumForm,
  bitForm,
  blobForm,
  dateForm,
  decimalForm,
  doubleForm,
  floatForm,
  integerForm,
  intervalForm,
  mapForm,
  renamedNames,
  repeatedNames,
  structForm,
  timeForm,
  timestampForm,
  timeTzForm,
  uniqueNames,
} from '../../../src/sql/forms.ts';
import { cpuMs } from '../cpu.ts';
import { ROUNDS, randomDigits, randomFrom, toFraction } from './random.ts';

describe('integerForm', () => {
  it('is a number up to 2^53 - 1 and digits beyond', () => {
    expect(integerForm(9007199254740991n)).toBe(9007199254740991);
    expect(integerForm(-9007199254740991n)).toBe(-9007199254740991);
    expect(integerForm(9007199254740992n)).toBe('9007199254740992');
    expect(integerForm(-(2n ** 127n))).toBe('-170141183460469231731687303715884105728');
    expect(integerForm(0n)).toBe(0);
  });
});

describe('decimalForm', () => {
  it.each([
    [12345n, 2, 123.45],
    [-5n, 3, -0.005],
    [0n, 4, 0],
    [150n, 2, 1.5],
    [123456789012345n, 5, 1234567890.12345],
    [1234567890123456n, 6, '1234567890.123456'],
    [100000000000000000n, 3, 100000000000000],
    [10000000000000000000000n, 2, '100000000000000000000.00'],
    [-1n, 38, -1e-38],
    [99999999999999999999999999999999999999n, 10, '9999999999999999999999999999.9999999999'],
    [12345678901234567890n, 0, '12345678901234567890'],
    [9007199254740991n, 0, 9007199254740991],
  ])('%s at scale %s is %s', (unscaled, scale, form) => {
    expect(decimalForm(unscaled, scale)).toBe(form);
  });

  it('never loses a digit', () => {
    const random = randomFrom(1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const unscaled = BigInt(randomDigits(random, 38)) * (random() < 0.5 ? -1n : 1n);
      const scale = Math.floor(random() * 39);
      const back = toFraction(JSON.parse(JSON.stringify(decimalForm(unscaled, scale))));
      expect(back.unscaled * 10n ** BigInt(scale)).toBe(unscaled * 10n ** BigInt(back.scale));
    }
  });
});

describe('floatForm and doubleForm', () => {
  it('show a FLOAT as it was written', () => {
    expect(floatForm(Math.fround(0.1))).toBe(0.1);
    expect(floatForm(Math.fround(16777217))).toBe(16777216);
    expect(floatForm(Math.fround(3.4028235e38))).toBe(3.4028235e38);
    expect(floatForm(2 ** -149)).toBe(1e-45);
  });

  it('have no NaN, no infinity and no negative zero', () => {
    for (const form of [floatForm, doubleForm]) {
      expect(form(Number.NaN)).toBeNull();
      expect(form(Number.NEGATIVE_INFINITY)).toBeNull();
      expect(form(-0)).toBe(0);
    }
  });

  it('read back as the same 32-bit float', () => {
    const random = randomFrom(2);
    const view = new DataView(new ArrayBuffer(4));
    for (let round = 0; round < ROUNDS; round += 1) {
      view.setUint32(0, Math.floor(random() * 2 ** 32));
      const value = view.getFloat32(0);
      const form = floatForm(value);
      expect(form === null).toBe(!Number.isFinite(value));
      if (form === null) continue;
      expect(Math.fround(form)).toBe(value);
      expect(String(form).length).toBeLessThanOrEqual(String(value).length);
    }
  });
});

describe('dateForm', () => {
  it.each([
    [0, '1970-01-01'],
    [-1, '1969-12-31'],
    [19782, '2024-02-29'],
    [2932896, '9999-12-31'],
    [2932897, '+010000-01-01'],
    [-719528, '0000-01-01'],
    [-719529, '-000001-12-31'],
    [2147483646, '+5881580-07-10'],
    [-2147483646, '-5877641-06-25'],
    [2147483647, 'infinity'],
    [-2147483647, '-infinity'],
  ])('day %s is %s', (days, form) => {
    expect(dateForm(days)).toBe(form);
  });

  it('agrees with Date wherever Date reaches', () => {
    const random = randomFrom(3);
    for (let round = 0; round < ROUNDS; round += 1) {
      const days = Math.floor((random() - 0.5) * 2e8);
      expect(dateForm(days)).toBe(new Date(days * 86_400_000).toISOString().split('T')[0]);
    }
  });
});

describe('timeForm and timeTzForm', () => {
  it('strip the zeros of a fraction', () => {
    expect(timeForm(0n)).toBe('00:00:00');
    expect(timeForm(45_296_500_000n)).toBe('12:34:56.5');
    expect(timeForm(86_399_999_999n)).toBe('23:59:59.999999');
    expect(timeForm(86_400_000_000n)).toBe('24:00:00');
    expect(timeForm(45_296_000_000_001n, 'ns')).toBe('12:34:56.000000001');
  });

  it('carry the offset', () => {
    expect(timeTzForm(0n, 0)).toBe('00:00:00Z');
    expect(timeTzForm(0n, 19_800)).toBe('00:00:00+05:30');
    expect(timeTzForm(0n, -3600)).toBe('00:00:00-01:00');
    expect(timeTzForm(1n, -57_599)).toBe('00:00:00.000001-15:59:59');
  });
});

describe('timestampForm', () => {
  it.each([
    [0n, 'us', false, '1970-01-01T00:00:00'],
    [-1n, 'us', true, '1969-12-31T23:59:59.999999Z'],
    [1709210096123456n, 'us', false, '2024-02-29T12:34:56.123456'],
    [1709210096120000n, 'us', true, '2024-02-29T12:34:56.12Z'],
    [1709210096n, 's', false, '2024-02-29T12:34:56'],
    [1709210096001n, 'ms', false, '2024-02-29T12:34:56.001'],
    [1709210096123456789n, 'ns', false, '2024-02-29T12:34:56.123456789'],
    [2n ** 63n - 1n, 'us', true, 'infinity'],
    [1n - 2n ** 63n, 'ns', false, '-infinity'],
    [9223372036854775806n, 'us', false, '+294247-01-10T04:00:54.775806'],
    [-9223372022400000000n, 'us', false, '-290308-12-22T00:00:00'],
  ] as const)('%s %s (zoned: %s) is %s', (value, unit, zoned, form) => {
    expect(timestampForm(value, unit, zoned)).toBe(form);
  });

  it('agrees with Date to the millisecond', () => {
    const random = randomFrom(4);
    for (let round = 0; round < ROUNDS; round += 1) {
      const value = Math.floor((random() - 0.5) * 2 * 8.64e15);
      const expected = new Date(value)
        .toISOString()
        .replace(/\.?0*Z$/, (tail) => (tail[0] === '.' ? 'Z' : tail));
      expect(timestampForm(BigInt(value), 'ms', true)).toBe(
        expected.replace(/(\.\d*?)0+Z$/, '$1Z').replace('.Z', 'Z'),
      );
    }
  });
});

describe('timestampForm, to the microsecond', () => {
  it.each([1e9, 1e15, 1e17, 8.6e18])('agrees with Date up to %s microseconds', (most) => {
    const random = randomFrom(5);
    for (let round = 0; round < ROUNDS; round += 1) {
      const micros = BigInt(Math.floor((random() - 0.5) * 2 * most)) + BigInt(Math.floor(random() * 1000));
      const thousandths = ((micros % 1000n) + 1000n) % 1000n;
      const date = new Date(Number((micros - thousandths) / 1000n)).toISOString().slice(0, -1);
      const exact = `${date}${String(thousandths).padStart(3, '0')}`.replace(/\.?0+$/, '');
      expect(timestampForm(micros, 'us', false)).toBe(exact);
    }
  });
});

describe('intervalForm', () => {
  it.each([
    [0, 0, 0n, 'PT0S'],
    [14, 3, 14_706_700_000n, 'P1Y2M3DT4H5M6.7S'],
    [-14, 3, -14_706_700_000n, 'P-1Y-2M3DT-4H-5M-6.7S'],
    [0, 0, -500_000n, 'PT-0.5S'],
    [0, 0, 129_600_000_000n, 'PT36H'],
    [12, 0, 0n, 'P1Y'],
    [0, -7, 1n, 'P-7DT0.000001S'],
  ])('%s months, %s days, %s us is %s', (months, days, micros, form) => {
    expect(intervalForm(months, days, micros)).toBe(form);
  });

  it('adds up to the interval it came from', () => {
    const random = randomFrom(5);
    const whole = (most: number) => Math.trunc((random() - 0.5) * 2 * most);
    for (let round = 0; round < ROUNDS; round += 1) {
      const [months, days, micros] = [whole(500), whole(1000), whole(1e13)];
      expect(fromDuration(intervalForm(months, days, BigInt(micros)))).toEqual([
        months + 0,
        days + 0,
        micros + 0,
      ]);
    }
  });
});

function fromDuration(text: string): readonly number[] {
  const [date = '', time = ''] = text.slice(1).split('T');
  const amount = (part: string, letter: string) => Number(part.match(`(-?[\\d.]+)${letter}`)?.[1] ?? 0);
  const minutes = amount(time, 'H') * 60 + amount(time, 'M');
  return [
    amount(date, 'Y') * 12 + amount(date, 'M'),
    amount(date, 'D'),
    minutes * 60_000_000 + Math.round(amount(time, 'S') * 1_000_000) + 0,
  ];
}

describe('blobForm, bitForm and bignumForm', () => {
  it('write bytes as base64, however many', () => {
    const random = randomFrom(6);
    for (const size of [0, 1, 2, 3, 8191, 8192, 8193, 100_000]) {
      const bytes = Uint8Array.from({ length: size }, () => Math.floor(random() * 256));
      expect(blobForm(bytes)).toBe(Buffer.from(bytes).toString('base64'));
    }
  });

  it('read the bits behind the padding', () => {
    expect(bitForm(Uint8Array.of(5, 0b11111101))).toBe('101');
    expect(bitForm(Uint8Array.of(0, 0b00000001, 0b10000000))).toBe('0000000110000000');
  });

  it('read a BIGNUM of either sign', () => {
    expect(bignumForm(Uint8Array.of(0x80, 0, 1, 42))).toBe(42);
    expect(bignumForm(Uint8Array.of(0x7f, 0xff, 0xfe, 0xd5))).toBe(-42);
    expect(bignumForm(Uint8Array.of(0x80, 0, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0))).toBe('18446744073709551616');
    expect(bignumForm(Uint8Array.of(0x80, 0, 0))).toBe(0);
  });

  it('read a BIGNUM of a million digits in time', () => {
    const begun = cpuMs();
    expect(bignumForm(new Uint8Array(400_003).fill(0xab))).toHaveLength(963_296);
    // The sum of its bytes took a minute.
    expect(cpuMs() - begun).toBeLessThan(5_000);
  });
});

describe('mapForm, structForm and uniqueNames', () => {
  it('write map keys as text and own properties only', () => {
    const entries: readonly (readonly [JsonValue, JsonValue])[] = [
      [1, 'a'],
      ['two', 'b'],
      [null, 'c'],
      [['x', 1], 'd'],
      ['__proto__', 'e'],
    ];
    const form = mapForm(entries);
    expect(Object.entries(form)).toEqual([
      ['1', 'a'],
      ['two', 'b'],
      ['null', 'c'],
      ['["x",1]', 'd'],
      ['__proto__', 'e'],
    ]);
    expect(Object.getPrototypeOf(form)).toBe(Object.prototype);
  });

  it('write a struct without names as an array', () => {
    expect(structForm(['a', 'b'], [1, null])).toEqual({ a: 1, b: null });
    expect(structForm(['', ''], [1, 2])).toEqual([1, 2]);
  });

  it('tell equal column names apart without taking another column name', () => {
    expect(uniqueNames(['a', 'b'])).toEqual(['a', 'b']);
    expect(uniqueNames(['a', 'a', 'a'])).toEqual(['a', 'a_1', 'a_2']);
    expect(uniqueNames(['a', 'a', 'a_1'])).toEqual(['a', 'a_2', 'a_1']);
    expect(uniqueNames(['a', 'a_1', 'a', 'a_1'])).toEqual(['a', 'a_1', 'a_2', 'a_1_1']);
  });
});

describe('repeatedNames', () => {
  it('are the names of several columns, in any case of letters', () => {
    expect(repeatedNames(['a', 'B', 'b', 'A', 'a', 'c'])).toEqual(['b', 'a']);
    expect(repeatedNames(['a', 'a_1', 'c'])).toEqual([]);
  });
});

describe('renamedNames', () => {
  it.each([
    [['a', 'b'], ['A', 'b'], []],
    [['id', 'ID', 'name'], ['id', 'ID_1', 'name'], ['id']],
    [
      ['id', 'id', 'Id_1', 'x'],
      ['id', 'id_1', 'Id_1_1', 'x'],
      ['id', 'id_1'],
    ],
    [['a', 'b'], ['a'], ['b']],
  ])('of %j in a result with %j are %j', (given, names, renamed) => {
    expect(renamedNames(given, names)).toEqual(renamed);
  });
});
