import { expect, it } from 'vitest';
import { restrict } from '../../../src/call/restricted.ts';
import type { CompiledSql } from '../../../src/catalog/model.ts';

// Requirements: noninterference
it('tells of a hidden table no more than of an absent one, however many columns it has', async () => {
  const source: CompiledSql = {
    language: 'sql',
    sql: 'SELECT 1',
    order: ['table_name'],
    mode: 'read',
    operation: 'SELECT',
    hash: '',
    tables: [{ name: 'shown' }],
  };
  const request = { sql: source.sql, values: ['hidden'], mode: 'read', maxRows: 1_000 } as const;
  const { toVisible } = await restrict({ clock: { now: () => 0 } }, source, request, { user: null });
  const columns = [{ name: 'name', type: 'VARCHAR' }];
  const absent = toVisible({ columns, rows: [], truncated: false });
  expect(toVisible({ columns, rows: [{ name: 'code' }], truncated: true })).toEqual(absent);
});
