import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { write } from '../engine/fixture.ts';
import { callLegacy } from '../legacy-request.ts';
import { type Ended, Svc, svc } from '../unit/cli/svc.ts';
import { EXTENSIONS, PASSWORD, type Part, type Postgres, startPostgres, startS3 } from './parts.ts';

const SLOW = 120_000;

let root: string;
let postgres: Postgres;
let s3: Part;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  root = join(mkdtempSync(join(tmpdir(), 'svc-example-')), 'lake');
  cpSync('examples/lake', root, { recursive: true, filter: (path) => !/[\\/](?:data|build)$/.test(path) });
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  await Promise.all([createDatabase(), fetch(`http://127.0.0.1:${s3.port}/lake`, { method: 'PUT' })]);
  env = {
    SVC_CONFIG: join(root, 'config.example.yml'),
    SVC_EXTENSION_DIRECTORY: EXTENSIONS,
    LAKE_PG_HOST: '127.0.0.1',
    LAKE_PG_PORT: String(postgres.port),
    LAKE_PG_USER: 'svc',
    LAKE_PG_PASSWORD: PASSWORD,
    LAKE_S3_KEY: 'planted-key',
    LAKE_S3_SECRET: 'planted-secret',
    LAKE_S3_REGION: 'us-east-1',
    LAKE_S3_ENDPOINT: `127.0.0.1:${s3.port}`,
    LAKE_S3_SSL: 'false',
  };
}, SLOW);

afterAll(async () => {
  await Promise.all([postgres?.stop(), s3?.stop()]);
  rmSync(join(root, '..'), { recursive: true, force: true });
});

async function createDatabase(): Promise<void> {
  const uri = `postgres:host=127.0.0.1 port=${postgres.port} user=svc password=${PASSWORD} dbname=postgres`;
  const database = await openNative({
    path: ':memory:',
    readonly: false,
    external: true,
    extensions: [{ name: 'postgres' }],
    extensionDirectory: EXTENSIONS,
    attach: [{ name: 'pg', uri, readonly: false }],
  });
  await write(database, "CALL postgres_execute('pg', 'CREATE DATABASE lake', use_transaction = false)");
  await database.close();
}

async function runs(...args: readonly string[]): Promise<Ended> {
  const ended = await svc(args, root, env);
  expect(ended.stdout + ended.stderr).not.toContain('planted');
  if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.stdout}${ended.stderr}`);
  return ended;
}

async function callSales(url: string): Promise<readonly unknown[]> {
  const response = await callLegacy(`${url}/mcp`, 'find_sales', { product: 'new' });
  const text = await response.text();
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  return result.structuredContent.result;
}

describe('examples/lake', () => {
  it(
    'fills the lake with the statement that fills the file',
    async () => {
      await runs('query', '--profile', 'load', '--file', 'seed.sql');
      const { stdout } = await runs(
        'query',
        '--profile',
        'lake',
        'SELECT count(*) AS n FROM sales',
        '--json',
      );
      expect(JSON.parse(stdout)).toEqual([{ n: 2000 }]);
    },
    SLOW,
  );

  it.each(['file', 'lake'])(
    'validates, lints, tests and drifts without a fault: %s',
    async (profile) => {
      expect(await runs('validate', '--profile', profile)).toMatchObject({ stdout: 'ok: 3 endpoints\n' });
      await runs('lint', '--fail-on', 'warning', '--profile', profile);
      const { stdout } = await runs('test', '--json', '--profile', profile);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', tests_run: 6 });
      await runs('drift-snapshot', '--profile', profile);
      await runs('drift-check', '--profile', profile);
      await runs('doctor', '--profile', profile);
    },
    SLOW,
  );

  it(
    'answers alike in both profiles',
    async () => {
      const calls = [
        ['tool', 'revenue_by_month', '--param', 'from=2025-03-01', '--param', 'to=2025-09-30'],
        ['tool', 'find_sales', '--param', 'product=ö', '--param', 'limit=50'],
        ['resource', 'sales://{id}', '--param', 'id=1999'],
      ];
      for (const call of calls) {
        const answers = await Promise.all(
          ['file', 'lake'].map((profile) => runs('run', ...call, '--profile', profile, '--json')),
        );
        expect(answers[0]?.stdout.length).toBeGreaterThan(50);
        expect(answers[1]?.stdout).toBe(answers[0]?.stdout);
      }
    },
    SLOW,
  );

  it(
    'serves a new row with the next answer, from each server',
    async () => {
      const servers = ['1', '2'].map(
        () => new Svc(['serve', '--profile', 'lake', '--stateless', '--port', '0'], { cwd: root, env }),
      );
      const urls = await Promise.all(
        servers.map(async (server) => (await server.until(/http:\/\/127\.0\.0\.1:\d+/))[0]),
      );
      const found = () => Promise.all(urls.map((url) => callSales(url)));
      const before = await found();
      expect(before.map((rows) => rows.length)).toEqual([0, 0]);
      const sale = "INSERT INTO sales VALUES (2001, '2026-01-01', 'north', 'new', 1, 3.50)";
      await runs('query', '--profile', 'load', sale);
      const row = { id: 2001, day: '2026-01-01', product: 'new', total: 3.5 };
      expect(await found()).toEqual([[row], [row]]);
    },
    SLOW,
  );
});
