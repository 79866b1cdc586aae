import { expect, it } from 'vitest';
import { summarize } from '../../../../src/mcp/methods/summary.ts';

it('is well-formed text, also if it cuts a character in two', () => {
  const table = { columns: ['a'], rows: [{ a: `${'x'.repeat(38)}😀😀` }] };
  const summary = summarize(table, { atLeast: false });
  expect(summary).toContain(`${'x'.repeat(38)}\ufffd…`);
  expect(summary.isWellFormed()).toBe(true);
});

it('names the least and the greatest number, also of those that a double cannot hold', () => {
  const rows = ['1234567890123456790', '1234567890123456789', '1234567890123456791'].map((id) => ({ id }));
  expect(summarize({ columns: ['id'], rows }, { atLeast: false })).toContain(
    'id: 1234567890123456789 to 1234567890123456791, 3 distinct',
  );
  const amounts = [12, '9007199254740993', '-1.5'].map((amount) => ({ amount }));
  expect(summarize({ columns: ['amount'], rows: amounts }, { atLeast: false })).toContain(
    'amount: -1.5 to 9007199254740993, 3 distinct',
  );
});
