import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { answersOf } from './restricted-answers.ts';

/** The conditions of tables with equal rows, and the rows that Alice sees by each. */
const CONDITIONS: readonly (readonly [condition: string, seen: readonly number[]])[] = [
  // Texts are equal by their characters, whatever the collation of their column.
  ['owner == user.username', [1]],
  ['user.username == owner', [1]],
  ['owner != user.username', [2, 3]],
  ['owner in [user.username, 5]', [1]],
  ['owner in user.claims.names', [1]],
  ['!(owner in user.claims.names)', [2, 3]],
  ['owner.startsWith(user.username)', [1]],
  ['owner.endsWith(user.username)', [1]],
  ['owner.contains(user.username)', [1]],
  ['user.username.startsWith(owner)', [1]],
  ['accent == user.username', [1]],
  ["owner < 'B'", [2]],
  // Beside each other, columns follow the same rules as beside values.
  ['owner == plain', [1, 3]],
  ['plain == owner', [1, 3]],
  ['owner != plain', [2]],
  ['owner == kind', [1]],
  ['kind != owner', [2, 3]],
  ['owner.startsWith(plain)', [1, 3]],
  ['id == code', [1]],
  ['code == id', [1]],
  ['id != code', [2, 3]],
  ['real == code', []],
  ['real != code', []],
  ['flag == id', []],
  ['id != flag', []],
  ['flag == truth', [1]],
  ['flag != truth', [2, 3]],
  ['id == real', [1, 2, 3]],
  ['id <= real', [1, 2, 3]],
  ['day == moment', [1]],
  ['plain in words', [1]],
];
const SEED = CONDITIONS.map(
  (
    _,
    index,
  ) => `CREATE TABLE t${index} (id INTEGER, owner VARCHAR COLLATE NOCASE, accent VARCHAR COLLATE NOACCENT,
      plain VARCHAR, kind ENUM ('alice', 'ALICE', 'x'), code VARCHAR, real DOUBLE, flag BOOLEAN, truth BOOLEAN,
      day DATE, moment TIMESTAMP, words VARCHAR[]);
    INSERT INTO t${index} VALUES
      (1, 'alice', 'alice', 'alice', 'alice', '1', 1, true, true, '2026-01-02', '2026-01-02 00:00:00', ['alice', '1', 'true']),
      (2, 'ALICE', 'àlice', 'alice', 'alice', '02', 2, true, false, '2026-01-02', '2026-01-02 00:00:01', ['ALICE', '02']),
      (3, 'bob', 'bob', 'bob', 'x', '3.0', 3, false, true, '2026-01-02', '2026-01-03 00:00:00', []);`,
).join('\n');
const RULES = CONDITIONS.map(
  ([condition], index) => `    - { name: t${index}, rows: ${JSON.stringify(condition)} }`,
).join('\n');

describe.each<EngineName>(['wasm', 'native'])('the condition of rows on %s', (engine) => {
  let served: Served;
  beforeAll(async () => {
    const site = `${SITE}sql_tools:\n  enabled: true\n  tables:\n${RULES}\n`;
    served = await serveTree({ 'svc-site.yml': site }, SEED, engine);
  });
  afterAll(() => served.close());

  it.each(CONDITIONS.map(([condition, seen], index) => ({ condition, seen, index })))(
    '$condition shows $seen',
    async ({ index, seen }) => {
      const user = { ...ALICE, username: 'alice', claims: { names: ['alice', 'anna'] } };
      const [answer] = await answersOf([served], user, `SELECT list(id ORDER BY id) AS ids FROM t${index}`);
      expect(answer).toEqual({ value: [{ ids: seen.length > 0 ? seen : null }] });
    },
  );
});
