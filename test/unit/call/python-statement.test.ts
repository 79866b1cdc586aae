import { expect, it } from 'vitest';
import { statementOf } from '../../../src/call/python-host.ts';

it('is read once as long as it is in use, and not kept where it is long', async () => {
  const long = `SELECT '${'x'.repeat(20_000)}' AS text`;
  expect(statementOf('SELECT $n AS n')).toBe(statementOf('SELECT $n AS n'));
  expect(statementOf(long)).not.toBe(statementOf(long));
  expect(await statementOf(long)).toMatchObject({ sql: long, mode: 'read' });
});
