import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseSecret } from '../../adapters/duckdb-native/engine/secrets.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { Database } from '../../src/ports.ts';
import type { Attachment } from '../../src/project/attachment.ts';
import { errorOf, read, write } from '../engine/fixture.ts';
import { type Ended, svc } from '../unit/cli/svc.ts';
import { EXTENSIONS, PASSWORD, type Part, type Postgres, startPostgres, startS3 } from './parts.ts';

/* One project over many homes of its table, with the real parts that `npm run test:lake` installs. */

const SLOW = 120_000;
const NAMES = ['httpfs', 'ducklake', 'postgres_scanner', 'sqlite_scanner'] as const;
const TABLE = `CREATE TABLE sales (id INTEGER, region VARCHAR, amount DECIMAL(10,2), day DATE);
INSERT INTO sales SELECT i, CASE i % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'söuth' END, (i * 1.25)::DECIMAL(10,2), DATE '2026-01-01' + (i % 40)::INTEGER FROM range(500) t(i)`;

let root: string;
let postgres: Postgres;
let s3: Part;
let secrets: readonly DatabaseSecret[];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-lake-'));
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  secrets = [
    secret('pg', 'postgres', { host: '127.0.0.1', port: postgres.port, user: 'svc', password: PASSWORD }),
    secret('store', 's3', {
      key_id: 'planted-key',
      secret: 'planted-secret',
      endpoint: `127.0.0.1:${s3.port}`,
      url_style: 'path',
      use_ssl: false,
      region: 'us-east-1',
    }),
  ];
}, SLOW);

afterAll(async () => {
  await Promise.all([postgres?.stop(), s3?.stop()]);
  rmSync(root, { recursive: true, force: true });
});

function secret(name: string, type: string, parameters: DatabaseSecret['parameters']): DatabaseSecret {
  return { name, type, parameters };
}

const HOMES: { readonly [home: string]: Omit<Attachment, 'name'> } = {
  'a DuckDB file': { uri: 'second.duckdb' },
  SQLite: { uri: 'sqlite:data.sqlite' },
  Postgres: { uri: 'postgres:dbname=postgres', secret: 'pg' },
  'a DuckLake in a file': { uri: 'ducklake:lake.ducklake', data_path: 'files' },
  'a DuckLake in Postgres and S3': {
    uri: 'ducklake:postgres:dbname=postgres',
    data_path: 's3://bucket/lake/',
    secret: 'pg',
  },
};

async function open(attachment: Omit<Attachment, 'name'>, use: string | null = 'lake'): Promise<Database> {
  return openNative({
    path: ':memory:',
    readonly: attachment.readonly !== false,
    external: true,
    extensions: NAMES.map((name) => ({ name })),
    extensionDirectory: EXTENSIONS,
    secrets,
    root,
    attach: [{ name: 'lake', ...attachment }],
    use,
  });
}

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

const ENV = () => ({ SVC_EXTENSION_DIRECTORY: EXTENSIONS, SVC_CONFIG: join(root, 'user.yml') });

/** A project whose table is in one home. */
function project(home: string, attachment: Omit<Attachment, 'name'>): string {
  const folder = join(root, home.replaceAll(/\W/g, '-'));
  mkdirSync(join(folder, 'tools'), { recursive: true });
  writeFileSync(join(folder, 'tools/revenue.yml'), TOOL);
  const uri = attachment.uri.replace(/(second|data|lake)\.(?=duckdb|sqlite|ducklake)/, `${root}/$1.`);
  const path = attachment.data_path?.startsWith('s3:') ? {} : { data_path: undefined };
  const site = {
    svc: 1,
    project: 'shop',
    profile: 'default',
    extensions: NAMES,
    profiles: {
      default: {
        database: { path: ':memory:', attach: [{ name: 'lake', ...attachment, uri, ...path }], use: 'lake' },
      },
    },
  };
  writeFileSync(join(folder, 'svc-site.yml'), JSON.stringify(site));
  const profile = { secrets };
  const user = { svc: 1, projects: { shop: { profiles: { default: profile } } } };
  writeFileSync(join(root, 'user.yml'), JSON.stringify(user));
  return folder;
}

describe('one project, whatever holds its table', () => {
  const answers = new Map<string, string>();

  it.each(Object.entries(HOMES))(
    '%s',
    async (home, attachment) => {
      const writer = await open({ ...attachment, readonly: false });
      for (const statement of TABLE.split(';')) await write(writer, statement);
      await writer.close();
      const folder = project(home, attachment);
      const ended = async (...args: readonly string[]): Promise<Ended> => {
        const result = await svc(args, folder, ENV());
        expect(result.stdout + result.stderr).not.toMatch(/planted/);
        expect({ args, ...result }).toMatchObject({ code: 0 });
        return result;
      };
      answers.set(home, (await ended('run', 'tool', 'revenue', '--param', 'least=7', '--json')).stdout);
      await ended('validate');
      await ended('test');
      await ended('drift-snapshot');
      await ended('drift-check');
      await ended('config');
    },
    SLOW,
  );

  it('gives the same bytes', () => {
    expect([...answers.keys()]).toEqual(Object.keys(HOMES));
    expect(new Set(answers.values()).size).toBe(1);
    expect([...answers.values()][0]).toContain('söuth');
  });
});

describe('a Postgres server', () => {
  const home = { uri: 'postgres:dbname=postgres', secret: 'pg' };
  const count = (database: Database) =>
    read(database, 'SELECT count(*) AS n FROM sales').then(({ rows }) => rows);

  it('refuses a wrong password, which no text shows', async () => {
    const before = secrets;
    secrets = [
      secret('pg', 'postgres', {
        host: '127.0.0.1',
        port: postgres.port,
        user: 'svc',
        password: "planted-wr'ong",
      }),
    ];
    const error = await errorOf(open(home));
    secrets = before;
    expect(error.message).toMatch(/lake cannot be reached: .*password authentication failed/);
    expect(JSON.stringify(error) + error.message + String(error.cause)).not.toContain('planted');
  });

  it(
    'that is killed fails calls clearly, and answers again when it is back',
    async () => {
      const database = await open(home);
      expect(await count(database)).toEqual([{ n: 500 }]);
      await postgres.kill();
      const error = await errorOf(count(database));
      expect(error).toMatchObject({ code: 'database_unavailable' });
      expect(error.message).toMatch(/^The attached database lake cannot be reached: /);
      expect(error.message).not.toContain('planted');
      await postgres.start();
      await expect.poll(() => count(database).catch(() => null)).toEqual([{ n: 500 }]);
      await database.close();
    },
    SLOW,
  );

  it(
    'that is away stops the start, unless it is not required',
    async () => {
      await postgres.kill();
      expect((await errorOf(open(home))).message).toMatch(/lake cannot be reached: .*refused/);
      const folder = project('away', home);
      const [strict, offline] = [
        await svc(['validate'], folder, ENV()),
        await svc(['validate', '--offline'], folder, ENV()),
      ];
      expect(strict).toMatchObject({ code: 1, stdout: expect.stringContaining('cannot be reached') });
      expect(offline).toMatchObject({ code: 0, stdout: expect.stringContaining('not checked: unreachable') });
      const database = await open({ ...home, required: false });
      expect(await errorOf(count(database))).toMatchObject({ code: 'database_unavailable' });
      await postgres.start();
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
      const writer = await open({ uri: 'second.duckdb', readonly: false }, null);
      await write(writer, "COPY (SELECT 1 AS n) TO 's3://bucket/one.parquet'");
      await writer.close();
      const folder = project('parquet', { uri: 'second.duckdb' });
      const tool = TOOL.replace(/tests:[\s\S]*$/, '').replace(
        /SELECT[\s\S]*?ORDER BY region/,
        "SELECT n FROM read_parquet('s3://bucket/one.parquet') WHERE n >= $least",
      );
      writeFileSync(join(folder, 'tools/revenue.yml'), tool);
      expect(await svc(['validate'], folder, ENV())).toMatchObject({ code: 0 });
      expect(await svc(['run', 'tool', 'revenue', '--json'], folder, ENV())).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"n":1'),
      });
    },
    SLOW,
  );
});
