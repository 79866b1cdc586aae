import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ALICE, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { answersOf } from './restricted-answers.ts';
import { attacks } from './restricted-attacks.ts';

/* Table rules where callers' statements run in a process of its own, which others' statements end again and again. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const RULES = `${SITE}sql_tools:
  enabled: true
  tables:
    - { name: people, hide: [pay], mask: [iban] }
    - { name: visits, rows: "town == user.claims.town" }
`;
const ROWS = "(1, 'Ulm', '1001'), (2, 'Ulm', '1002'), (3, 'Ulm', '1003')";
const SEED = `CREATE TABLE people (id INTEGER, town VARCHAR, pay INTEGER, iban VARCHAR);
  INSERT INTO people SELECT *, col2 FROM (VALUES ${ROWS});
  CREATE TABLE visits (id INTEGER, town VARCHAR, reason VARCHAR);
  INSERT INTO visits VALUES (0, 'Bonn', '5'), ${ROWS}`;
const BONN = { ...ALICE, claims: { town: 'Bonn' } };
const CRASH = "SELECT reservoir_quantile(3::TINYINT, 'nan'::DOUBLE) FROM range(3)";

/** Attacks on what is hidden, evenly over all of them. */
const all = attacks().filter(([, sql]) => /people|visits/.test(sql));
const CHOSEN = all.filter((_, index) => index % Math.floor(all.length / 20) === 0).slice(0, 20);

describe('attacks on table rules while the process of the engine ends', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serveTree({ 'svc-site.yml': RULES }, SEED, 'native, own process');
  });
  afterAll(() => served.close());

  const answersTo = (sql: string) => answersOf([served], BONN, sql);

  it('are 20', () => expect(CHOSEN).toHaveLength(20));

  it.each(CHOSEN)('do not reveal %s to %j', async (_, sql) => {
    const visible = 'SELECT (SELECT count(*) FROM visits) AS n, columns(p.*) FROM people p WHERE id = 1';
    const answers = await Promise.all([sql, CRASH, sql, visible, sql].map(answersTo));
    expect(answers[1]).toEqual([{ error: expect.any(String) }]);
    const shown = JSON.stringify(answers).replaceAll(/[a-z]+_1001/g, (name) =>
      sql.includes(name) ? '' : name,
    );
    expect(shown).not.toMatch(/1001|1002|1003/);
    // The next statement meets the rules in the new process.
    expect(await answersTo('FROM visits')).toEqual([{ value: [{ id: 0, town: 'Bonn', reason: '5' }] }]);
  });
});
