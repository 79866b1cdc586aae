import { expect, it } from 'vitest';
import { enforceLimits } from '../../../src/call/result.ts';
import type { CallLimits } from '../../../src/catalog/model.ts';
import { cpuMs } from '../cpu.ts';

const limitsOf = (bytes: number) => ({ rows: 1_000, bytes }) as CallLimits;
const whole = { truncated: false };

it('rows with a long name are cut before their JSON is made', () => {
  const rows = Array.from({ length: 1_000 }, () => ({ ['\u0001'.repeat(65_400)]: 1 }));
  const begun = cpuMs();
  const { value, truncated } = enforceLimits(rows, whole, limitsOf(4 * 1024 * 1024));
  expect(value).toHaveLength(10);
  expect(truncated?.reason).toBe('bytes');
  // The JSON of all rows took three seconds, and 390 MB.
  expect(cpuMs() - begun).toBeLessThan(1_000);
});

it('items of which only the first has long names are no such rows', () => {
  const items = [{ ['x'.repeat(500)]: 1 }, ...Array.from({ length: 100 }, () => ({ a: 1 }))];
  expect(enforceLimits(items, whole, limitsOf(2_000))).toMatchObject({ value: items, truncated: null });
  expect(enforceLimits(items, { truncated: true }, limitsOf(2_000)).truncated?.reason).toBe('rows');
  expect(enforceLimits(items, whole, limitsOf(1_000)).truncated?.reason).toBe('bytes');
});
