import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/ports.ts';
import { errorOf, read, write } from '../engine/fixture.ts';
import { svc } from '../unit/cli/svc.ts';
import { type Home, LAKE, type Lake, POSTGRES, runs, startLake } from './lake.ts';

/* One project over many homes of its table, with the real parts that `npm run test:lake` installs. */

const SLOW = 120_000;
const TABLE = `CREATE TABLE sales (id INTEGER, region VARCHAR, amount DECIMAL(10,2), day DATE);
INSERT INTO sales SELECT i, CASE i % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'söuth' END, (i * 1.25)::DECIMAL(10,2), DATE '2026-01-01' + (i % 40)::INTEGER FROM range(500) t(i)`;

let lake: Lake;

beforeAll(async () => {
  lake = await startLake();
}, SLOW);
afterAll(() => lake?.stop());

const HOMES: { readonly [home: string]: (root: string) => Home } = {
  'a DuckDB file': (root) => ({ uri: join(root, 'second.duckdb') }),
  SQLite: (root) => ({ uri: `sqlite:${join(root, 'data.sqlite')}` }),
  Postgres: () => POSTGRES,
  'a DuckLake in a file': (root) => ({
    uri: `ducklake:${join(root, 'lake.ducklake')}`,
    data_path: join(root, 'files'),
  }),
  'a DuckLake in Postgres and S3': () => LAKE,
};

/** SQLite has no decimals and dates of its own, so the statements name the types that they mean. */
const TOOL = `svc: 1
tool:
  name: revenue
  description: Revenue by region.
  parameters:
    - { name: least, type: integer, description: The first sale., default: 0 }
  source:
    code: >-
      SELECT coalesce(region, 'none') AS region, sum(amount::DECIMAL(10,2)) AS revenue, min(day::DATE) AS since
      FROM sales WHERE id >= $least GROUP BY ALL ORDER BY region
  tests:
    - name: later sales
      arguments: [{ key: least, value: 490 }]
      result_contains_item: { region: north }
`;

describe('one project, whatever holds its table', () => {
  const answers = new Map<string, string>();

  it.each(Object.entries(HOMES))(
    '%s',
    async (name, homeOf) => {
      const home = homeOf(lake.root);
      const writer = await lake.open({ ...home, readonly: false });
      for (const statement of TABLE.split(';')) await write(writer, statement);
      await writer.close();
      const project = lake.project(home, { tools: { revenue: TOOL } });
      const ran = await runs(project, 'run', 'tool', 'revenue', '--param', 'least=7', '--json');
      answers.set(name, ran.stdout);
      for (const command of ['validate', 'test', 'drift-snapshot', 'drift-check', 'config']) {
        await runs(project, command);
      }
    },
    SLOW,
  );

  it('gives the same bytes', () => {
    expect([...answers.keys()]).toEqual(Object.keys(HOMES));
    expect(new Set(answers.values()).size).toBe(1);
    expect([...answers.values()][0]).toContain('söuth');
  });
});

describe('a write that is sent to an attached database', () => {
  it.each<readonly [string, string, () => Home]>([
    [
      "postgres_execute('lake', 'INSERT INTO sent VALUES (1)')",
      "CALL postgres_execute('lake', 'INSERT INTO sent VALUES (1)')",
      () => POSTGRES,
    ],
    [
      "sqlite_query('lake', 'INSERT INTO sent VALUES (1) RETURNING n')",
      'INSERT INTO lake.sent VALUES (1)',
      () => ({ uri: `sqlite:${join(lake.root, 'sent.sqlite')}` }),
    ],
  ])('is refused in a query, which would not save it: %s', async (sent, saved, homeOf) => {
    const database = await lake.open({ ...homeOf(), readonly: false });
    await write(database, 'CREATE TABLE sent (n INTEGER)');
    const counted = () => read(database, 'SELECT count(*) AS n FROM sent').then(({ rows }) => rows);
    for (const sql of [`FROM ${sent}`, `SELECT * FROM ${sent}`]) {
      expect(await errorOf(read(database, sql))).toMatchObject({ code: 'sql_rejected' });
      expect(await errorOf(database.prepare(sql, 'read'))).toMatchObject({ code: 'sql_rejected' });
    }
    expect(await counted()).toEqual([{ n: 0 }]);
    await write(database, saved);
    expect(await counted()).toEqual([{ n: 1 }]);
    await write(database, 'DROP TABLE sent');
    await database.close();
  });
});

describe('a Postgres server', () => {
  const count = (database: Database) =>
    read(database, 'SELECT count(*) AS n FROM sales').then(({ rows }) => rows);

  it('refuses a wrong password, which no text shows', async () => {
    const error = await errorOf(lake.open(POSTGRES, lake.secrets("planted-wr'ong")));
    expect(error.message).toMatch(/lake cannot be reached: .*password authentication failed/);
    expect(JSON.stringify(error) + error.message + String(error.cause)).not.toContain('planted');
  });

  it(
    'that is killed fails calls clearly, and answers again when it is back',
    async () => {
      const database = await lake.open(POSTGRES);
      expect(await count(database)).toEqual([{ n: 500 }]);
      await lake.postgres.kill();
      const error = await errorOf(count(database));
      expect(error).toMatchObject({ code: 'database_unavailable' });
      expect(error.message).toMatch(/^The attached database lake cannot be reached: /);
      expect(error.message).not.toContain('planted');
      await lake.postgres.start();
      await expect.poll(() => count(database).catch(() => null)).toEqual([{ n: 500 }]);
      await database.close();
    },
    SLOW,
  );

  it(
    'that is away stops the start, unless it is not required',
    async () => {
      await lake.postgres.kill();
      expect((await errorOf(lake.open(POSTGRES))).message).toMatch(/lake cannot be reached: .*refused/);
      const { cwd, env } = lake.project(POSTGRES, { tools: { revenue: TOOL } });
      const [strict, offline] = [
        await svc(['validate'], cwd, env),
        await svc(['validate', '--offline'], cwd, env),
      ];
      expect(strict).toMatchObject({ code: 1, stdout: expect.stringContaining('cannot be reached') });
      expect(offline).toMatchObject({ code: 0, stdout: expect.stringContaining('not checked: unreachable') });
      const database = await lake.open({ ...POSTGRES, required: false });
      expect(await errorOf(count(database))).toMatchObject({ code: 'database_unavailable' });
      await lake.postgres.start();
      await expect.poll(() => count(database).catch(() => null)).toEqual([{ n: 500 }]);
      await database.close();
    },
    SLOW,
  );
});

describe('Parquet on S3', () => {
  it(
    'is planned by svc validate with the secrets of the profile',
    async () => {
      const home = { uri: join(lake.root, 'third.duckdb') };
      const writer = await lake.open({ ...home, readonly: false }, lake.secrets());
      await write(writer, "COPY (SELECT 1 AS n) TO 's3://bucket/one.parquet'");
      await writer.close();
      const revenue = TOOL.replace(/tests:[\s\S]*$/, '').replace(
        /SELECT[\s\S]*?ORDER BY region/,
        "SELECT n FROM read_parquet('s3://bucket/one.parquet') WHERE n >= $least",
      );
      const project = lake.project(home, { tools: { revenue }, secrets: lake.secrets() });
      await runs(project, 'validate');
      expect((await runs(project, 'run', 'tool', 'revenue', '--json')).stdout).toContain('"n":1');
    },
    SLOW,
  );
});
