import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../../src/context.ts';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { answersOf as answersFor, isRefusedToAll } from './restricted-answers.ts';
import { attacks } from './restricted-attacks.ts';

/** Two worlds that differ only in what rules hide. An attack succeeds if it tells them apart. */
const WORLDS = ['1', '9'] as const;
type World = (typeof WORLDS)[number];

const OPEN = `${SITE}sql_tools:\n  enabled: true\n`;
const RULES = `${OPEN}  tables:
    - { name: people, hide: [pay], mask: [iban] }
    - { name: visits, rows: "town == user.claims.town" }
    - { name: payroll, hide: [amount] }
`;

function seedOf(world: World): string {
  const [a, b, c] = world === '1' ? ['1001', '1002', '1003'] : ['99002', '99002', '99001'];
  const rows = `(1, 'Ulm', '${a}'), (2, 'Ulm', '${b}'), (3, 'Ulm', '${c}')`;
  return `CREATE TABLE people (id INTEGER, town VARCHAR, pay INTEGER, iban VARCHAR);
    INSERT INTO people SELECT *, col2 FROM (VALUES ${rows});
    CREATE TABLE visits (id INTEGER, town VARCHAR, reason VARCHAR);
    INSERT INTO visits VALUES (0, 'Bonn', '5'), ${rows};
    CREATE TABLE plans (id INTEGER, town VARCHAR, body VARCHAR);
    INSERT INTO plans VALUES ${rows};
    CREATE VIEW payroll AS SELECT id, town, pay AS amount FROM people;
    CREATE SCHEMA s_${a}; CREATE TABLE s_${a}.hidden AS SELECT 1 AS x;
    CREATE TYPE mood_${a} AS ENUM ('a', 'b${a}');
    CREATE SEQUENCE seq_${a};
    CREATE TABLE plan_${a} (x INTEGER DEFAULT ${a} CHECK (x > ${a}), column_${a} mood_${a});
    CREATE INDEX index_${a} ON plan_${a} (x);
    CREATE VIEW view_${a} AS SELECT ${a} AS x;
    CREATE MACRO macro_${a}() AS ${a}`;
}

const BONN: User = { ...ALICE, claims: { town: 'Bonn' } };

const answersOf = (worlds: readonly Served[], sql: string) => answersFor(worlds, BONN, sql);

describe.each<EngineName>(['wasm', 'native, read-write'])('attacks on table rules on %s', (engine) => {
  let ruled: readonly Served[] = [];
  let open: readonly Served[] = [];
  beforeAll(async () => {
    const serve = (site: string) =>
      Promise.all(WORLDS.map((world) => serveTree({ 'svc-site.yml': site }, seedOf(world), engine)));
    ruled = await serve(RULES);
    open = await serve(OPEN);
  });
  afterAll(() => Promise.all([...ruled, ...open].map((served) => served.close())));

  const all = attacks();

  it('are at least 300', () => {
    expect(new Set(all.map(([, sql]) => sql)).size).toBeGreaterThanOrEqual(300);
  });

  it.each(all)('do not reveal %s to %j', async (_, sql) => {
    const [one, other] = await answersOf(ruled, sql);
    expect(one).toEqual(other);
    const shown = JSON.stringify(one).replaceAll(/[a-z]+_1001/g, (name) => (sql.includes(name) ? '' : name));
    expect(shown).not.toMatch(/1001|1002|1003|99001|99002/);
  });

  it.each(all.filter(([, sql]) => !isRefusedToAll(sql)))('reveal %s to %j without rules', async (_, sql) => {
    const [one, other] = await answersOf(open, sql);
    expect(one).not.toEqual(other);
  });
});
