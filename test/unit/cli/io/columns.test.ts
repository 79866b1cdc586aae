import { expect, it } from 'vitest';
import { toColumns } from '../../../../cli/io/columns.ts';

it('aligns all but the last column, without counting colours', () => {
  const rows = [['a', '\u001b[1mbbb\u001b[22m', 'c'], ['aa', 'b', 'cc'], ['x']];
  expect(toColumns(rows, '  ')).toBe('  a   \u001b[1mbbb\u001b[22m  c\n  aa  b    cc\n  x');
});

it('takes as many rows as there are', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [String(index), 'x']);
  expect(toColumns(rows).endsWith('\n199999  x')).toBe(true);
});
