import type { Database } from '../../../src/ports.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import { ask, tell } from './ask.ts';

/** A query whose answer changes when another connection commits something. `T` is a table of its own. */
interface Change {
  readonly sql: string;
  readonly values?: readonly SqlValue[];
  readonly before: string;
  readonly change: string;
  /** The answer afterwards: a value as text, or the code of an error. */
  readonly after: string;
}

const NEW_ROW = 'INSERT INTO T (i, j) VALUES (200, 200)';
const NEW_NULL = 'INSERT INTO T (i, j) VALUES (100, NULL)';
const count = (rest: string): string => `SELECT count(*) AS v FROM ${rest}`;

/** A plan holds statistics of the day it was made; each of these is wrong if such a plan or an answer is kept. */
export const CHANGES: readonly Change[] = [
  { sql: count('T WHERE i > 99'), before: '0', change: NEW_ROW, after: '1' },
  { sql: count('T WHERE i = 200'), before: '0', change: NEW_ROW, after: '1' },
  { sql: count('T WHERE j IS NULL'), before: '0', change: NEW_NULL, after: '1' },
  { sql: count('T WHERE i = 777'), before: '0', change: 'UPDATE T SET i = 777 WHERE i = 7', after: '1' },
  { sql: 'SELECT count(j) AS v FROM T', before: '100', change: `${NEW_NULL}, (200, 200)`, after: '101' },
  { sql: 'SELECT count(*) - count(j) AS v FROM T', before: '0', change: NEW_NULL, after: '1' },
  { sql: count('T JOIN far ON far.i = T.i'), before: '0', change: NEW_ROW, after: '1' },
  { sql: count('T WHERE i IN (SELECT i FROM far)'), before: '0', change: NEW_ROW, after: '1' },
  { sql: count('(SELECT i FROM T GROUP BY i)'), before: '100', change: NEW_ROW, after: '101' },
  { sql: 'SELECT max(i) AS v FROM T', before: '99', change: NEW_ROW, after: '200' },
  {
    sql: 'SELECT max(small + small) AS v FROM T',
    before: '98',
    change: 'INSERT INTO T (small) VALUES (99)',
    after: 'sql_failed',
  },
  { sql: 'SELECT i AS v FROM T ORDER BY i DESC LIMIT 1', before: '99', change: NEW_ROW, after: '200' },
  { sql: count('T WHERE i = $1'), values: [200n], before: '0', change: NEW_ROW, after: '1' },
  { sql: count('T WHERE i > 99 AND $1 > 0'), values: [1n], before: '0', change: NEW_ROW, after: '1' },
  {
    sql: 'SELECT $1::INTEGER + count(*) AS v FROM T WHERE i > 99',
    values: [10n],
    before: '10',
    change: NEW_ROW,
    after: '11',
  },
  { sql: count('T'), before: '100', change: 'DELETE FROM T WHERE i < 50', after: '50' },
  {
    sql: 'SELECT a AS v FROM T_view',
    before: '1',
    change: 'CREATE OR REPLACE VIEW T_view AS SELECT 2 AS a',
    after: '2',
  },
  {
    sql: 'SELECT a AS v FROM T_view',
    before: '1',
    change: 'CREATE OR REPLACE VIEW T_view AS SELECT get_username() AS a',
    after: 'null',
  },
  {
    sql: 'SELECT a AS v FROM T_view',
    before: '1',
    change: "CREATE OR REPLACE VIEW T_view AS SELECT nextval('drawn') AS a",
    after: 'database_readonly',
  },
  {
    sql: 'SELECT v FROM (SELECT * FROM T_view) t(v)',
    before: '1',
    change: 'DROP VIEW T_view',
    after: 'sql_failed',
  },
  {
    sql: 'SELECT typeof(i) AS v FROM T LIMIT 1',
    before: 'INTEGER',
    change: 'ALTER TABLE T ALTER i TYPE BIGINT',
    after: 'BIGINT',
  },
  { sql: 'SELECT T_macro() AS v', before: '1', change: 'CREATE OR REPLACE MACRO T_macro() AS 2', after: '2' },
];

/** The value of `small` ends at 49, so that its sum with itself fits when the plan is made. */
const tableOf = (name: string): string =>
  `CREATE TABLE ${name} AS SELECT i::INTEGER AS i, i::INTEGER AS j, (i % 50)::TINYINT AS small FROM range(100) t(i);
CREATE VIEW ${name}_view AS SELECT 1 AS a;
CREATE MACRO ${name}_macro() AS 1;`;

const named = (sql: string, index: number): string => sql.replace(/\bT(?=_|\b)/g, `changed_${index}`);

/** The tables that change. They exist before the first query, because DuckDB plans again after a change of its catalog. */
export const CHANGES_SCRIPT = [
  'CREATE SEQUENCE drawn;',
  'CREATE TABLE far AS SELECT i::INTEGER AS i FROM range(150, 250) t(i);',
  ...CHANGES.map((_, index) => tableOf(`changed_${index}`)),
].join('\n');

/** Asks until engines keep what they keep, changes, and asks again. Returns the answers that are wrong. */
export async function checkChanges(database: Database): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [index, { sql, values, before, change, after }] of CHANGES.entries()) {
    const asked = () => ask(database, named(sql, index), values);
    const seen = [await asked(), await asked(), await asked()];
    const told = await tell(database, named(change, index));
    if (/^[a-z]+_/.test(told)) wrong.push(`${change}: ${told}`);
    seen.push(await asked(), await asked());
    if (String(seen) !== String([before, before, before, after, after]))
      wrong.push(`${sql}: ${seen.join(', ')}, not ${after}`);
  }
  return wrong;
}
