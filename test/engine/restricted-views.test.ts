import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE, type EngineName, type Served, SITE, serveTree } from '../unit/call/project.ts';
import { answersOf } from './restricted-answers.ts';

const RULES = `${SITE}sql_tools:
  enabled: true
  tables:
    - { name: blocked, rows: "owner == user.username" }
    - { name: open_docs, rows: "id == 1" }
    - { name: closed_docs }
    - { name: tables }
    - { name: schemas }
    - { name: priced, mask: [secret] }
    - { name: others }
`;
const SEED = `CREATE TABLE docs (id INTEGER); INSERT INTO docs VALUES (1), (2), (3), (4);
  CREATE TABLE blocked (doc INTEGER, owner VARCHAR); INSERT INTO blocked VALUES (1, 'bob'), (2, 'bob');
  CREATE VIEW open_docs AS SELECT id FROM docs WHERE id NOT IN (SELECT doc FROM blocked);
  CREATE VIEW closed_docs AS SELECT id FROM docs WHERE id NOT IN (SELECT id FROM open_docs) ORDER BY id;
  CREATE TABLE tables AS SELECT 1 AS x; CREATE TABLE schemas AS SELECT 1 AS x;
  CREATE SCHEMA hidden_part; CREATE TABLE hidden_part.hidden_plan AS SELECT 1 AS x;
  CREATE MACRO with_tax(x) AS x * 2; CREATE TYPE size AS ENUM ('small');
  CREATE TABLE priced (id INTEGER, price INTEGER AS (with_tax(id)), secret VARCHAR, size size AS ('small'::size));
  INSERT INTO priced VALUES (3, 'planted'); CREATE TABLE others AS SELECT 7 AS priced`;

describe.each<EngineName>(['wasm', 'native, read-write'])(
  'a view or a table under table rules on %s',
  (engine) => {
    let served: Served;
    beforeAll(async () => {
      served = await serveTree({ 'svc-site.yml': RULES }, SEED, engine);
    });
    afterAll(() => served.close());

    const answerOf = async (sql: string) => (await answersOf([served], ALICE, sql))[0];

    // Requirements: noninterference
    it.each([
      ['SELECT id FROM open_docs', []],
      ["SELECT id FROM open_docs WHERE 'blocked' <> ''", []],
      ['SELECT id FROM open_docs, (SELECT count(*) FROM blocked)', []],
      ['SELECT id FROM closed_docs', [{ id: 1 }, { id: 2 }]],
      ["SELECT id FROM closed_docs WHERE 'open_docs' <> 'blocked'", [{ id: 1 }, { id: 2 }]],
      ['SELECT c.id FROM closed_docs c ANTI JOIN open_docs o USING (id)', [{ id: 1 }, { id: 2 }]],
    ])('reads the tables of the project in %s', async (sql, rows) => {
      expect(await answerOf(sql)).toEqual({ value: rows });
    });

    it.each([
      ['FROM priced', [{ id: 3, price: 6, secret: '****', size: 'small' }]],
      ['SELECT priced FROM others', [{ priced: 7 }]],
      ['SELECT price, others.priced FROM priced, others', [{ price: 6, priced: 7 }]],
    ])('has macros and types of the project for generated columns in %s', async (sql, rows) => {
      expect(await answerOf(sql)).toEqual({ value: rows });
    });

    it.each(['DESCRIBE tables FROM data', 'FROM (DESCRIBE tables FROM data)', 'FROM (DESC schemas)'])(
      'is not listed with hidden tables by %s',
      async (sql) => {
        const answer = JSON.stringify(await answerOf(sql));
        expect(answer).toContain('takes one of your tables or a query here');
        expect(answer).not.toContain('hidden_');
      },
    );
  },
);
