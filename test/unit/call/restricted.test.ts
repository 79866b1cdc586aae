import { describe, expect, it } from 'vitest';
import { restrict } from '../../../src/call/restricted.ts';
import type { CompiledSql } from '../../../src/catalog/model.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { TableRule } from '../../../src/project/model.ts';

const SOURCE: CompiledSql = {
  language: 'sql',
  sql: 'SELECT 1',
  order: ['table_name'],
  mode: 'read',
  operation: 'SELECT',
  hash: '',
};
const CLOCK = { clock: { now: () => 0 } };
const NOBODY = { user: null };
const COLUMNS = [{ name: 'name', type: 'VARCHAR' }];

function restricted(tables: readonly TableRule[], values: readonly string[]) {
  const request = { sql: SOURCE.sql, values, mode: 'read', maxRows: 1_000 } as const;
  return restrict(CLOCK, { ...SOURCE, tables }, request, NOBODY);
}

async function schemaOf(tables: readonly TableRule[], name: string, rows: readonly JsonObject[]) {
  const { toVisible } = await restricted(tables, [name]);
  return toVisible({ columns: COLUMNS, rows, truncated: true });
}

const column = (name: string, type = 'INTEGER', nullable = 'NO') => ({ name, type, nullable });

describe('the schema of a table', () => {
  // Requirements: noninterference
  it('tells of a hidden table no more than of an absent one, however many columns it has', async () => {
    const { toVisible } = await restricted([{ name: 'shown' }], ['hidden']);
    const absent = toVisible({ columns: COLUMNS, rows: [], truncated: false });
    expect(toVisible({ columns: COLUMNS, rows: [{ name: 'code' }], truncated: true })).toEqual(absent);
    expect(absent).toEqual({ columns: COLUMNS, rows: [], truncated: false });
  });

  it('lacks hidden columns, and shows a masked one as the text that the caller reads', async () => {
    const rule = { name: 'Staff', hide: ['PAY'], mask: ['ssn'] };
    const rows = [column('id'), column('Pay'), column('SSN')];
    expect(await schemaOf([rule], 'STAFF', rows)).toEqual({
      columns: COLUMNS,
      rows: [column('id'), column('SSN', 'VARCHAR', 'YES')],
      truncated: true,
    });
  });

  it('is that of the named table only', async () => {
    const rules = [{ name: 'staff', hide: ['pay'] }, { name: 'orders' }];
    const rows = [column('pay')];
    expect((await schemaOf(rules, 'orders', rows)).rows).toEqual(rows);
    const { request } = await restricted(rules, ['orders']);
    expect(request).toMatchObject({ values: ['orders'], mode: 'read', maxRows: 1_000 });
    expect(request.sql).toMatch(/^SELECT \* FROM \(SELECT 1\) WHERE \(SELECT count\(\*\) /);
  });

  it.each<[string, TableRule]>([
    ['hidden', { name: 't', hide: ['id', 'gone'] }],
    ['masked', { name: 't', mask: ['gone'] }],
  ])('is not shown if a %s column does not exist, except for an absent table', async (_, rule) => {
    await expect(schemaOf([rule], 't', [column('id')])).rejects.toMatchObject({
      code: 'project_invalid',
      message: 'The rule of `sql_tools.tables` for t cannot be applied: the table has no column gone.',
    });
    expect((await schemaOf([rule], 't', [])).rows).toEqual([]);
  });
});

describe('the requests of the SQL tools', () => {
  it('stay as they are without rules', async () => {
    const request = { sql: 'SELECT 1', values: ['t'], mode: 'read', maxRows: 1 } as const;
    const same = await restrict(CLOCK, SOURCE, request, NOBODY);
    expect(same.request).toBe(request);
    const result = { columns: COLUMNS, rows: [column('a')], truncated: true };
    expect(same.toVisible(result)).toBe(result);
  });

  it("give the engine the tables of the caller, for the caller's own statement", async () => {
    const request = { sql: 'FROM t', values: ['t'], mode: 'read', maxRows: 1 } as const;
    const source = { ...SOURCE, statement: 'sql', tables: [{ name: 't', hide: ['a'] }] };
    const { request: asked, toVisible } = await restrict(CLOCK, source, request, NOBODY);
    expect(asked).toEqual({
      ...request,
      restricted: [{ name: 't', rows: null, hide: ['a'], mask: {} }],
    });
    const result = { columns: COLUMNS, rows: [column('a')], truncated: false };
    expect(toVisible(result)).toBe(result);
  });

  it('ask for visible tables only, before their rows are limited', async () => {
    const { request, toVisible } = await restricted([{ name: 'Staff' }, { name: 'no', to: 'false' }], []);
    expect(request.values).toEqual([{ list: ['staff'] }]);
    expect(request.sql).toMatch(/^SELECT \* FROM \(SELECT 1\) WHERE list_contains\(\$1, /);
    const result = { columns: COLUMNS, rows: [column('a')], truncated: false };
    expect(toVisible(result)).toBe(result);
  });
});
