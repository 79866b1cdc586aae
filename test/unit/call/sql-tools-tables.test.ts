import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import type { User } from '../../../src/context.ts';
import type { JsonObject } from '../../../src/json.ts';
import { ALICE, contextOf, type EngineName, errorOf, type Served, SITE, serveTree } from './project.ts';

const RULES = `${SITE}sql_tools:
  enabled: true
  tables:
    - { name: staff, to: "user.role == 'boss'" }
    - { name: staff, hide: [salary], mask: [ssn] }
    - { name: orders, rows: "user.role == 'boss' || region == user.claims.region || region in user.groups" }
    - { name: other.more, rows: "x >= 2.0 && !(day == null)" }
    - { name: big_orders }
    - { name: who, rows: "mail == user.email" }
    - { name: broken, hide: [salry] }
    - { name: failing, rows: "number == 1" }
    - { name: unlike, rows: "number == user.email" }
    - { name: absent }
    - { name: outside, rows: "!(region in user.claims.blocked)" }
    - { name: odd, to: "user.claims.nothing == 1" }
`;
const WITHOUT_ODD = RULES.replace(/ {4}- \{ name: odd.*\n/, '');

const SEED = `CREATE TABLE staff (id INTEGER, name VARCHAR, salary INTEGER NOT NULL, ssn INTEGER NOT NULL);
  INSERT INTO staff VALUES (1, 'Ada', 100, 11), (2, 'Bob', 200, 22);
  CREATE TABLE orders (id INTEGER, region VARCHAR, amount INTEGER);
  INSERT INTO orders VALUES (1, 'EU', 5), (2, 'US', 0), (3, 'APAC', 7), (4, NULL, 9);
  CREATE SCHEMA other; CREATE TABLE other.more AS SELECT 1 AS x, DATE '2026-01-01' AS day
    UNION ALL SELECT 2, DATE '2026-01-02' UNION ALL SELECT 3, NULL;
  CREATE VIEW big_orders AS SELECT id, 10 / (amount - 5) AS ratio FROM orders WHERE amount > 5;
  CREATE MACRO get_user_email() AS NULL; CREATE VIEW who AS SELECT get_user_email() AS mail; DROP MACRO get_user_email;
  CREATE TABLE broken AS SELECT 1 AS salary; CREATE TABLE unlike AS SELECT 1 AS number;
  CREATE VIEW failing AS SELECT concat('alice', id)::INTEGER AS number FROM staff;
  CREATE TABLE outside AS SELECT unnest(['EU', 'US', NULL]) AS region;
  CREATE TABLE odd AS SELECT 1 AS n; CREATE TABLE secret_plans AS SELECT 1 AS n`;

const EU: User = { ...ALICE, claims: { region: 'EU' }, groups: ['APAC'] };
const BOSS: User = { ...ALICE, role: 'boss' };

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])('sql_tools.tables on %s', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveTree({ 'svc-site.yml': WITHOUT_ODD }, SEED, engine);
  });
  afterAll(() => served.close());

  const call = (name: string, args: JsonObject, user: User | null) => {
    const entry = served.runtime.catalog.tools[name];
    if (entry === undefined) throw new Error(name);
    return callEndpoint({ runtime: served.runtime, entry, args, context: contextOf(user) });
  };
  const query = async (sql: string, user: User | null = EU) =>
    (await call('execute_sql_query', { sql }, user)).value;

  it.each([
    [
      'FROM staff ORDER BY id',
      [
        { id: 1, name: 'Ada', ssn: '****' },
        { id: 2, name: 'Bob', ssn: '****' },
      ],
    ],
    ['SELECT id FROM main.orders ORDER BY id', [{ id: 1 }, { id: 3 }]],
    ["SELECT id FROM Orders o WHERE o.amount IN (5, 6) AND o.region LIKE 'E%'", [{ id: 1 }]],
    ['SELECT sum(amount) AS s, count(*) AS n FROM orders', [{ s: 12, n: 2 }]],
    ['SELECT "other.more".x FROM "other.more"', [{ x: 2 }]],
    ['SELECT id, ratio FROM big_orders WHERE ratio > 4 ORDER BY id', [{ id: 3, ratio: 5 }]],
    ['SELECT mail FROM who', [{ mail: 'alice@acme.com' }]],
    ['SELECT get_user_email() AS mail', [{ mail: 'alice@acme.com' }]],
    [
      'WITH a AS (SELECT id FROM orders), b(n) AS (SELECT id FROM a) SELECT round(avg(n)::DECIMAL(9, 1), 1) AS n FROM b',
      [{ n: 2 }],
    ],
    [
      "SELECT CASE WHEN name LIKE 'A%' THEN 'a' END AS c FROM staff AS s(id, name) WHERE id = 1",
      [{ c: 'a' }],
    ],
    [
      "SELECT strftime(DATE '2026-01-02', '%Y') AS y, [x * 2 FOR x IN [1, 2]] AS l",
      [{ y: '2026', l: [2, 4] }],
    ],
    [
      'SELECT s.name, count(*) OVER (PARTITION BY o.region) AS n FROM staff s JOIN orders o USING (id)',
      [{ name: 'Ada', n: 1 }],
    ],
    ['SELECT count(*) AS n FROM (DESCRIBE staff)', [{ n: 3 }]],
  ])('runs %j on the restricted tables', async (sql, rows) => {
    expect(await query(sql)).toEqual(rows);
  });

  it('shows a caller as much as the first rule that applies says', async () => {
    expect(await query('SELECT salary, ssn FROM staff WHERE id = 2', BOSS)).toEqual([
      { salary: 200, ssn: 22 },
    ]);
    expect(await query('SELECT count(*) AS n FROM orders', BOSS)).toEqual([{ n: 4 }]);
    expect(await query('SELECT count(*) AS n FROM orders', null)).toEqual([{ n: 0 }]);
    expect(
      await query('SELECT count(*) AS n FROM orders', { ...EU, claims: { region: "EU' OR 1=1 --" } }),
    ).toEqual([{ n: 1 }]);
  });

  it.each([
    [['US'], 1],
    [[], 3],
    [['US', 5], 0],
    [[5, 'US'], 0],
    [['US', null], 0],
    [[2 ** 60, 'US'], 0],
    [[{ region: 'US' }], 0],
    [null, 0],
    [5, 0],
  ])('shows no row outside of a list with items that SQL cannot compare: %j', async (blocked, n) => {
    const user = { ...EU, claims: { blocked } };
    const result = await query('SELECT count(*) AS n FROM outside', user).catch(() => [{ n: 0 }]);
    expect(result).toEqual([{ n }]);
  });

  it('lists only visible tables and columns', async () => {
    const { value } = await call('list_tables', {}, EU);
    expect(value).toEqual([
      { name: 'big_orders', type: 'VIEW' },
      { name: 'broken', type: 'BASE TABLE' },
      { name: 'failing', type: 'VIEW' },
      { name: 'orders', type: 'BASE TABLE' },
      { name: 'other.more', type: 'BASE TABLE' },
      { name: 'outside', type: 'BASE TABLE' },
      { name: 'staff', type: 'BASE TABLE' },
      { name: 'unlike', type: 'BASE TABLE' },
      { name: 'who', type: 'VIEW' },
    ]);
    const columns = async (table_name: string, user: User) =>
      (await call('get_table_schema', { table_name }, user)).value;
    expect(await columns('staff', EU)).toEqual([
      { name: 'id', type: 'INTEGER', nullable: 'YES' },
      { name: 'name', type: 'VARCHAR', nullable: 'YES' },
      { name: 'ssn', type: 'VARCHAR', nullable: 'YES' },
    ]);
    expect(await columns('staff', BOSS)).toContainEqual({ name: 'salary', type: 'INTEGER', nullable: 'NO' });
    expect(await columns('secret_plans', EU)).toEqual([]);
  });

  it('names no hidden table in an error', async () => {
    const error = await errorOf(query('FROM secret_plan'));
    expect(error).toMatchObject({ code: 'sql_rejected' });
    expect(error.message).toContain('secret_plan does not exist');
    expect(error.message).not.toContain('secret_plans');
    expect((await errorOf(query('FROM secret_plans'))).message.replaceAll('plans', 'plan')).toBe(
      error.message.replace('secret_plan \n', ''),
    );
  });

  it('tells how to write the name of a table in another schema', async () => {
    expect((await errorOf(query('FROM other.more'))).message).toBe(
      'The statement was refused. Write the table as one name in double quotes: "other.more".',
    );
  });

  it('denies a table whose rule does not fit, and quotes no value', async () => {
    expect(await errorOf(query('SELECT 1 FROM broken'))).toMatchObject({ code: 'project_invalid' });
    const failing = await errorOf(query('SELECT 1 FROM failing'));
    expect(failing).toMatchObject({ code: 'project_invalid' });
    expect(failing.message).not.toContain('alice');
  });

  it('shows no row of a table whose rule compares it with a value of another type', async () => {
    expect(await query('SELECT 1 FROM unlike')).toEqual([]);
  });
});

it('denies a call if a `to` cannot be evaluated', async () => {
  const served = await serveTree({ 'svc-site.yml': RULES }, SEED, 'native');
  const entry = served.runtime.catalog.tools.list_tables;
  if (entry === undefined) throw new Error('list_tables');
  const error = await errorOf(
    callEndpoint({ runtime: served.runtime, entry, args: {}, context: contextOf(EU) }),
  );
  expect(error).toMatchObject({ code: 'denied', message: 'Access denied: a policy could not be evaluated.' });
  expect(served.records.at(-1)).toMatchObject({ decision: { outcome: 'deny' } });
  await served.close();
});

const NAMES = `${SITE}sql_tools:
  enabled: true
  tables:
    - { name: ära }
    - { name: other.more }
    - { name: other.less, hide: [pay] }
    - { name: broken, hide: [salry] }
    - { name: veiled, mask: [salry] }
`;
const NAMED = `CREATE TABLE "ÄRA" AS SELECT 2 AS hidden; CREATE TABLE "ära" AS SELECT 1 AS id;
  CREATE SCHEMA other; CREATE TABLE other.more AS SELECT 1 AS id; CREATE TABLE "other.more" AS SELECT 2 AS hidden;
  CREATE TABLE other.less AS SELECT 1 AS id, 2 AS pay; CREATE VIEW "Other.Less" AS SELECT 1 AS id, 2 AS pay, 3 AS hidden;
  CREATE TABLE broken AS SELECT 1 AS salary; CREATE TABLE veiled AS SELECT 1 AS salary`;

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])('names in rules on %s', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveTree({ 'svc-site.yml': NAMES }, NAMED, engine);
  });
  afterAll(() => served.close());

  const call = (name: string, args: JsonObject) => {
    const entry = served.runtime.catalog.tools[name];
    if (entry === undefined) throw new Error(name);
    return callEndpoint({ runtime: served.runtime, entry, args, context: contextOf(EU) });
  };
  const query = (sql: string) => call('execute_sql_query', { sql });
  const columns = (table_name: string) => call('get_table_schema', { table_name });

  it('mean one table, where only letters outside of ASCII differ in case', async () => {
    expect((await query('FROM "ära"')).value).toEqual([{ id: 1 }]);
    expect(await errorOf(query('FROM "ÄRA"'))).toMatchObject({ code: 'sql_rejected' });
    expect((await columns('ära')).value).toMatchObject([{ name: 'id' }]);
    expect((await columns('ÄRA')).value).toEqual([]);
    expect((await call('list_tables', {})).value).not.toContainEqual(
      expect.objectContaining({ name: 'ÄRA' }),
    );
  });

  it.each(['other.more', 'other.less', 'Other.Less', 'OTHER.LESS'])(
    'that two tables have show neither: %s',
    async (name) => {
      expect(await errorOf(query(`FROM "${name}"`))).toMatchObject({ code: 'project_invalid' });
      expect((await columns(name)).value).toEqual([]);
      const names = (await call('list_tables', {})).value;
      expect(names).toEqual([
        { name: 'broken', type: 'BASE TABLE' },
        { name: 'veiled', type: 'BASE TABLE' },
        { name: 'ära', type: 'BASE TABLE' },
      ]);
    },
  );

  it.each(['broken', 'veiled'])('that the columns of %s do not have show none of them', async (name) => {
    const error = await errorOf(columns(name));
    expect(error).toMatchObject({ code: 'project_invalid' });
    expect(error.message).toContain(`for ${name} cannot be applied: the table has no column salry`);
  });
});
