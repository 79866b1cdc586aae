import { expect, it } from 'vitest';
import { nearestName } from '../../../src/types/nearest.ts';
import { cpuMs } from '../cpu.ts';

it.each<[string, readonly string[], string | null]>([
  ['limt', ['limit', 'offset'], 'limit'],
  ['lmiit', ['limit', 'offset'], 'limit'],
  ['Limit', ['limit'], 'limit'],
  ['ID', ['id', 'name'], 'id'],
  ['x', ['y'], null],
  ['colour', ['color', 'colors'], 'color'],
  ['zebra', ['limit'], null],
  ['', ['a'], null],
  ['a', [], null],
])('%s among %j: %s', (name, known, expected) => {
  expect(nearestName(name, known)).toBe(expected);
});

it('takes no time over long names', () => {
  const start = cpuMs();
  nearestName(
    'x'.repeat(1e6),
    Array.from({ length: 100 }, (_, index) => `${index}${'y'.repeat(1e4)}`),
  );
  expect(cpuMs() - start).toBeLessThan(5000);
});
