import { describe, expect, it } from 'vitest';
import { holds } from '../fixtures.ts';

/** The value of an expression about a time, by comparing it with a number. */
const isEqual = (time: string, call: string, value: number) =>
  holds(`timestamp('${time}').${call} == ${value}`);

describe('the parts of a time', () => {
  // The last millisecond of a leap year is in the next one further east.
  it.each([
    ['getFullYear', 2024, 2025, 2024],
    ['getMonth', 11, 0, 11],
    ['getDate', 31, 1, 31],
    ['getDayOfMonth', 30, 0, 30],
    ['getDayOfWeek', 2, 3, 2],
    ['getDayOfYear', 365, 0, 365],
    ['getHours', 23, 1, 18],
    ['getMinutes', 59, 29, 29],
    ['getSeconds', 58, 58, 58],
    ['getMilliseconds', 789, 789, 789],
  ])('%s', (method, utc, east, west) => {
    const time = '2024-12-31T23:59:58.789Z';
    expect(isEqual(time, `${method}()`, utc)).toBe(true);
    expect(isEqual(time, `${method}('UTC')`, utc)).toBe(true);
    expect(isEqual(time, `${method}('+01:30')`, east)).toBe(true);
    expect(isEqual(time, `${method}('01:30')`, east)).toBe(true);
    expect(isEqual(time, `${method}('-05:30')`, west)).toBe(true);
  });

  it.each([
    ['2026-01-01T00:00:00Z', 0],
    ['2026-01-01T23:59:59.999Z', 0],
    ['2026-01-02T00:00:00Z', 1],
    ['2026-03-01T12:00:00Z', 59],
    ['2024-03-01T12:00:00Z', 60],
    ['2026-12-31T12:00:00Z', 364],
  ])('the day of the year at %s is %i', (time, day) => {
    expect(isEqual(time, 'getDayOfYear()', day)).toBe(true);
    expect(isEqual(time, "getDayOfYear('UTC')", day)).toBe(true);
  });

  it.each([
    ['2026-03-29T00:59:59.5Z', 'Europe/Zurich', [2026, 2, 29, 1, 59, 59, 500]],
    ['2026-03-29T01:00:00Z', 'Europe/Zurich', [2026, 2, 29, 3, 0, 0, 0]],
    ['2026-01-01T02:03:04.005Z', 'America/New_York', [2025, 11, 31, 21, 3, 4, 5]],
    ['2026-10-20T18:30:00Z', 'Asia/Kolkata', [2026, 9, 21, 0, 0, 0, 0]],
  ])('%s in %s', (time, zone, parts) => {
    const methods = [
      'getFullYear',
      'getMonth',
      'getDate',
      'getHours',
      'getMinutes',
      'getSeconds',
      'getMilliseconds',
    ];
    for (const [index, method] of methods.entries()) {
      expect(isEqual(time, `${method}('${zone}')`, parts[index] ?? -1), method).toBe(true);
    }
  });

  it('of a zone stay right when many zones were asked for', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    for (const zone of [...zones, 'Europe/Zurich']) {
      expect(isEqual('2026-01-31T14:30:00Z', `getSeconds('${zone}')`, 0), zone).toBe(true);
    }
    expect(isEqual('2026-01-31T14:30:00Z', "getHours('Europe/Zurich')", 15)).toBe(true);
  });

  it.each(['+24:00', '+2:00', '+02:60', '+02:5', 'x+02:00', 'x02:00', '+02:00x', '25:00', '', 'Mars/Base'])(
    'are unknown in the zone %j',
    (zone) => {
      expect(isEqual('2026-01-31T14:30:00Z', `getHours('${zone}')`, 14)).toMatch(/^input\[0\]: /);
    },
  );

  it.each([
    ['+23:59', 14],
    ['-19:30', 19],
    ['+19:30', 10],
    ['+00:00', 14],
  ])('are known in the zone %s', (zone, hour) => {
    expect(isEqual('2026-01-31T14:30:00Z', `getHours('${zone}')`, hour)).toBe(true);
  });
});
