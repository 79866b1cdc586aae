import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../../src/context.ts';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { answersOf as answersFor, isRefusedToAll } from './restricted-answers.ts';
import { attemptsOn } from './restricted-attempts.ts';

/** Two worlds differ only in hidden data. A statement reveals something if it answers differently in them. */
const WORLDS = ['1', '9'] as const;
type World = (typeof WORLDS)[number];

const OPEN = `${SITE}sql_tools:\n  enabled: true\n`;
const RULES = `${OPEN}  tables:
    - { name: staff, hide: [salary], mask: [ssn] }
    - { name: orders, rows: "region == user.claims.region" }
    - { name: view_orders, rows: "region == user.claims.region", to: "user.role == 'boss'" }
`;

/** In one world hidden values begin with 1, differ, and ascend; in the other they begin with 9, repeat, and descend. */
function seedOf(world: World): string {
  const values = world === '1' ? [1001, 1002, 1003] : [99002, 99002, 99001];
  const [a, b, c] = values;
  const more = world === '1' ? '' : `, (4, 'US', ${a})`;
  const tables = ['staff', 'orders', 'vault'].map((table) => {
    const column = { staff: 'salary', orders: 'note', vault: 'code' }[table];
    return `CREATE VIEW view_${table} AS SELECT * FROM ${table};
      CREATE MACRO peek_${table}() AS (SELECT max(${column}::VARCHAR) FROM ${table});
      CREATE MACRO all_${table}() AS TABLE SELECT * FROM ${table};`;
  });
  return `CREATE TABLE staff (id INTEGER, name VARCHAR, salary INTEGER, ssn VARCHAR);
    INSERT INTO staff VALUES (1, 'Ada', ${a}, '${a}'), (2, 'Bob', ${b}, '${b}'), (3, 'Cid', ${c}, '${c}');
    CREATE TABLE orders (id INTEGER, region VARCHAR, note VARCHAR);
    INSERT INTO orders VALUES (0, 'EU', '5'), (1, 'US', ${a}), (2, 'US', ${b}), (3, 'US', ${c})${more};
    CREATE TABLE vault (id INTEGER, region VARCHAR, code VARCHAR);
    INSERT INTO vault VALUES (1, 'EU', ${a}), (2, 'US', ${b}), (3, 'US', ${c})${more};
    ${tables.join('\n')}`;
}

const EU: User = { ...ALICE, claims: { region: 'EU' } };

const answersOf = (worlds: readonly Served[], sql: string) => answersFor(worlds, EU, sql);

describe.each<EngineName>(['wasm', 'native, read-write'])('tables under rules on %s', (engine) => {
  let ruled: readonly Served[] = [];
  let open: readonly Served[] = [];
  beforeAll(async () => {
    const serve = (site: string) =>
      Promise.all(WORLDS.map((world) => serveTree({ 'svc-site.yml': site }, seedOf(world), engine)));
    ruled = await serve(RULES);
    open = await serve(OPEN);
  });
  afterAll(() => Promise.all([...ruled, ...open].map((served) => served.close())));

  const attempts = attemptsOn('data');

  it('meet at least 300 attempts', () => {
    expect(new Set(attempts.map(([, sql]) => sql)).size).toBeGreaterThanOrEqual(300);
  });

  it.each(attempts)('keep %s from %s', async (_, sql) => {
    const [one, other] = await answersOf(ruled, sql);
    expect(one).toEqual(other);
    expect(JSON.stringify(one)).not.toMatch(/1001|1002|1003|99001|99002/);
  });

  it.each(attempts.filter(([, sql]) => !isRefusedToAll(sql)))(
    'without rules show %s to %s',
    async (_, sql) => {
      const [one, other] = await answersOf(open, sql);
      expect(one).not.toEqual(other);
    },
  );
});
