import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseSecret } from '../../adapters/duckdb-native/engine/secrets.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { Attachment } from '../../src/project/attachment.ts';
import { write } from '../engine/fixture.ts';
import { rawCall } from '../matrix/raw.ts';
import { type Ended, Svc, svc } from '../unit/cli/svc.ts';
import { EXTENSIONS, PASSWORD, type Part, type Postgres, startPostgres, startS3 } from './parts.ts';
import { QUERIES, ROWS } from './queries.ts';

/* One project of 201 tools over five homes of its table: the same bytes, and every check passes on each. */

const SLOW = 300_000;
const NAMES = ['httpfs', 'ducklake', 'postgres', 'sqlite'];

let root: string;
let postgres: Postgres;
let s3: Part;
let secrets: readonly DatabaseSecret[];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-homes-'));
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  const server = { host: '127.0.0.1', port: postgres.port, user: 'svc', password: PASSWORD };
  const store = {
    key_id: 'planted-key',
    secret: 'planted-secret',
    endpoint: `127.0.0.1:${s3.port}`,
    url_style: 'path',
    use_ssl: false,
    region: 'us-east-1',
  };
  secrets = [
    { name: 'pg', type: 'postgres', parameters: server },
    { name: 'store', type: 's3', parameters: store },
  ];
}, SLOW);

afterAll(async () => {
  await Promise.all([postgres?.stop(), s3?.stop()]);
  rmSync(root, { recursive: true, force: true });
});

/** A home of the table: the database of the project, and the statements that fill it. */
interface Home {
  readonly path?: string;
  readonly attach?: Omit<Attachment, 'name'>;
  readonly extensions: readonly string[];
  readonly fill: readonly string[];
}

const TABLE = [`CREATE TABLE sales AS ${ROWS}`];
const PARQUET = [
  `COPY (${ROWS}) TO 's3://bucket/sales.parquet'`,
  "CREATE VIEW sales AS FROM read_parquet('s3://bucket/sales.parquet')",
];

const HOMES: Readonly<Record<string, Home>> = {
  'a bundled file': { path: 'file.db', extensions: [], fill: TABLE },
  'Parquet on S3': { path: 'views.db', extensions: ['httpfs'], fill: PARQUET },
  'a DuckLake on Postgres and S3': {
    attach: { uri: 'ducklake:postgres:dbname=postgres', data_path: 's3://bucket/lake/', secret: 'pg' },
    extensions: ['ducklake', 'postgres', 'httpfs'],
    fill: TABLE,
  },
  Postgres: {
    attach: { uri: 'postgres:dbname=postgres', secret: 'pg' },
    extensions: ['postgres'],
    fill: TABLE,
  },
  SQLite: { attach: { uri: 'sqlite:data.sqlite' }, extensions: ['sqlite'], fill: TABLE },
};

function toTool(name: string, code: string, tests: readonly object[] = []): string {
  const least = { name: 'least', type: 'integer', description: 'The first sale', default: 0 };
  const columns = { type: 'array', description: 'Rows' };
  const tool = {
    name,
    description: 'Rows of the sales',
    tags: ['sales'],
    annotations: { title: 'Sales', readOnlyHint: true },
    parameters: [least],
    return: columns,
    source: { code },
    tests,
  };
  return JSON.stringify({ svc: 1, tool });
}

const REVENUE = `SELECT coalesce(region, 'none') AS region, sum(amount::DECIMAL(10,2)) AS revenue
FROM sales WHERE id >= $least GROUP BY ALL ORDER BY region`;
const NORTH = {
  name: 'the last ten',
  arguments: [{ key: 'least', value: 490 }],
  result_contains_item: { region: 'north', revenue: 1856.25 },
};

/** Fills a home, and returns the folder of a project over it. */
async function createProject(name: string, { path, attach, extensions, fill }: Home): Promise<string> {
  const folder = join(root, name.replaceAll(/\W/g, '-'));
  mkdirSync(join(folder, 'tools'), { recursive: true });
  const attachment = attach && { name: 'lake', ...attach };
  const writer = await openNative({
    path: path === undefined ? ':memory:' : join(folder, path),
    readonly: false,
    external: true,
    extensions: NAMES.map((extension) => ({ name: extension })),
    extensionDirectory: EXTENSIONS,
    secrets,
    root: folder,
    ...(attachment ? { attach: [{ ...attachment, readonly: false }], use: 'lake' } : {}),
  });
  for (const statement of fill) await write(writer, statement);
  await writer.close();
  writeFileSync(join(folder, 'tools/revenue.yml'), toTool('revenue', REVENUE, [NORTH]));
  for (const [index, sql] of QUERIES.entries()) {
    writeFileSync(join(folder, `tools/q${index}.yml`), toTool(`q${index}`, sql));
  }
  const database = attachment
    ? { path: ':memory:', attach: [attachment], use: 'lake' }
    : { path, readonly: true };
  const site = {
    svc: 1,
    project: 'shop',
    profile: 'default',
    profiles: { default: { extensions, database } },
  };
  writeFileSync(join(folder, 'svc-site.yml'), JSON.stringify(site));
  const used = extensions.length === 0 ? [] : secrets.filter(({ name: secret }) => needs(extensions, secret));
  const user = { svc: 1, projects: { shop: { profiles: { default: { secrets: used } } } } };
  writeFileSync(join(folder, 'user.yml'), JSON.stringify(user));
  return folder;
}

const needs = (extensions: readonly string[], secret: string): boolean =>
  extensions.includes(secret === 'pg' ? 'postgres' : 'httpfs');

const envOf = (folder: string) => ({
  SVC_EXTENSION_DIRECTORY: EXTENSIONS,
  SVC_CONFIG: join(folder, 'user.yml'),
});

async function runs(folder: string, ...args: readonly string[]): Promise<Ended> {
  const ended = await svc(args, folder, envOf(folder));
  expect(ended.stdout + ended.stderr).not.toContain('planted');
  if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.stdout}${ended.stderr}`);
  return ended;
}

/** The bytes of each tool's answer, by a running server. */
async function answersOf(folder: string): Promise<readonly string[]> {
  const server = new Svc(['serve', '--port', '0', '--stateless'], { cwd: folder, env: envOf(folder) });
  const [origin] = await server.until(/http:\/\/127\.0\.0\.1:\d+/);
  const url = new URL('/mcp', origin);
  const answers: string[] = [];
  for (const index of QUERIES.keys()) {
    answers.push(await rawCall({ kind: 'http', url }, `q${index}`, { least: (index * 37) % 480 }));
  }
  server.child.kill('SIGTERM');
  await server.ended;
  return answers;
}

describe('one project over five homes of its table', () => {
  const answers = new Map<string, readonly string[]>();

  it.each(Object.entries(HOMES))(
    'passes every check: %s',
    async (name, home) => {
      const folder = await createProject(name, home);
      await runs(folder, 'lock');
      await runs(folder, 'drift-snapshot');
      for (const check of [
        ['validate', '--locked'],
        ['lint', '--severity', 'error'],
        ['drift-check', '--fail-on', 'breaking'],
      ]) {
        await runs(folder, ...check);
      }
      const tested = await runs(folder, 'test', '--json');
      expect(JSON.parse(tested.stdout)).toMatchObject({ status: 'ok', tests_run: 1 });
      answers.set(name, await answersOf(folder));
    },
    SLOW,
  );

  it('gives the same bytes for 200 queries', () => {
    expect([...answers.keys()]).toEqual(Object.keys(HOMES));
    const [expected = [], ...others] = answers.values();
    expect(expected).toHaveLength(200);
    expect(expected.filter((answer) => !answer.includes('"structuredContent"'))).toEqual([]);
    expect(new Set(expected).size).toBeGreaterThan(150);
    for (const other of others) expect(other).toEqual(expected);
  });
});
