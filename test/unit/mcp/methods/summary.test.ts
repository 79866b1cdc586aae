import { expect, it } from 'vitest';
import { summarize } from '../../../../src/mcp/methods/summary.ts';

it('is well-formed text, also if it cuts a character in two', () => {
  const table = { columns: ['a'], rows: [{ a: `${'x'.repeat(38)}😀😀` }] };
  const summary = summarize(table, { atLeast: false });
  expect(summary).toContain(`${'x'.repeat(38)}\ufffd…`);
  expect(summary.isWellFormed()).toBe(true);
});
