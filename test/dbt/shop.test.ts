import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTarget } from '../../deploy/build.ts';
import { callLegacy } from '../legacy-request.ts';
import { PLATFORMS } from '../matrix/platforms.ts';
import { rawCall } from '../matrix/raw.ts';
import { type Ended, Svc, svc } from '../unit/cli/svc.ts';

/* examples/dbt-shop from its seeds to an answered call, with the real dbt that `npm run test:dbt` installs. */

const BIN = process.env.SVC_TEST_DBT;
const SLOW = 180_000;
const USER = `svc: 1
projects:
  dbt-shop:
    profiles:
      default:
        secrets:
          - { name: api, type: http, parameters: { bearer_token: planted-token } }
`;

let root: string;

beforeAll(() => {
  root = join(mkdtempSync(join(tmpdir(), 'svc-dbt-')), 'shop');
  cpSync('examples/dbt-shop', root, {
    recursive: true,
    filter: (path) => !/[\\/](data|target|logs)$/.test(path),
  });
  writeFileSync(join(root, '../user.yml'), USER);
});

afterAll(() => rmSync(join(root, '..'), { recursive: true, force: true }));

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return svc(args, root, { PATH: `${BIN}${delimiter}${process.env.PATH}`, VIRTUAL_ENV: '', ...env });
}

const NAMES = ['Node over a socket', 'Lambda, Function URL, streaming', 'workerd'];
const WHERE = PLATFORMS.filter(({ name }) => NAMES.includes(name));
const BEST = [{ name: 'Chiyo Fukuda', orders: 1, revenue: 250, last_order: '2026-03-03' }];

describe.skipIf(BIN === undefined)('examples/dbt-shop with a real dbt', { timeout: SLOW }, () => {
  it('has the files that svc dbt-config would make', async () => {
    const { stdout } = await run(['dbt-config', '--json']);
    expect(JSON.parse(stdout).files.map(({ action }: { action: string }) => action)).toEqual([
      'none',
      'none',
    ]);
  });

  it.each(['seed', 'run', 'test'])('svc dbt %s', async (command) => {
    const { code, stdout } = await run(['dbt', command]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Completed successfully') });
  });

  // Requirements: feature.dbt
  it('serves the tables and views that dbt made', async () => {
    expect(await run(['test'])).toMatchObject({ code: 0 });
    const server = new Svc(['serve', '--port', '0'], { cwd: root });
    const [, url = ''] = await server.until(/serving .* on (\S+)/);
    const response = await callLegacy(url, 'top_customers', { limit: 1 });
    expect(await response.text()).toContain(JSON.stringify(BEST));
    // the same file is not built again under this server
    const refused = await run(['dbt', 'build']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('open in another process') });
    server.child.kill('SIGTERM');
    await server.ended;
  });

  it('builds beside a server, under the same name, with views that hold after the move', async () => {
    const next = join(root, 'data/next/shop.db');
    expect(
      (await run(['dbt', 'build', '--exclude', 'test_type:generic'], { SVC_DATABASE_PATH: next })).code,
    ).toBe(0);
    const { code, stdout } = await run(['run', 'tool', 'revenue_by_month', '--json'], {
      SVC_DATABASE_PATH: next,
    });
    expect({ code, rows: JSON.parse(stdout).length }).toEqual({ code: 0, rows: 3 });
  });

  it.each(WHERE)('goes into an artefact, views and all, and answers on: $name', async ({ target, start }) => {
    const { out, files } = await buildTarget({ root, public: true, target, out: join(root, `../${target}`) });
    expect(files.map(({ path }) => path)).toContain('manifest.json');
    const { reach, close } = await start(out);
    const { result } = JSON.parse(await rawCall(reach, 'top_customers', { limit: 1 }));
    await close();
    expect(result.structuredContent).toEqual(BEST);
  });

  it('is not built any more once a model gives a column another type, and says so', {
    timeout: 2 * SLOW,
  }, async () => {
    expect(await run(['drift-snapshot'])).toMatchObject({ code: 0 });
    expect(await run(['dbt', 'run'])).toMatchObject({ code: 0 });
    expect(await run(['drift-check'])).toMatchObject({ code: 0 });
    const model = join(root, 'models/marts/customer_value.sql');
    const text = readFileSync(model, 'utf8');
    writeFileSync(model, text.replace('count(o.order_id)', 'count(o.order_id)::VARCHAR'));
    expect(await run(['dbt', 'run', '--select', 'customer_value'])).toMatchObject({ code: 0 });
    const { code, stdout } = await run(['build', '--target', 'node', '--json']);
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout).error.detail;
    const drift = checks.find(({ check }: { check: string }) => check === 'drift');
    expect(drift).toMatchObject({ status: 'failed', fix: expect.stringContaining('svc drift-snapshot') });
    expect(drift.problems.map(({ change }: { change: unknown }) => change)).toContainEqual(
      expect.objectContaining({
        class: 'breaking',
        path: 'columns.orders.type',
        old: 'BIGINT',
        new: 'VARCHAR',
      }),
    );
    writeFileSync(model, text);
    expect(await run(['dbt', 'run', '--select', 'customer_value'])).toMatchObject({ code: 0 });
  });

  it("ends with dbt's exit code when a test of dbt fails", async () => {
    const test = join(root, 'tests/never.sql');
    writeFileSync(test, "select 1 as wrong from {{ ref('stg_orders') }} limit 1");
    expect(await run(['dbt', 'test', '--select', 'never'])).toMatchObject({ code: 1 });
    rmSync(test);
    expect((await run(['dbt', 'run', '--no-such-flag'])).code).toBe(2);
  });

  it('gives DuckDB the secrets, and leaves them nowhere', async () => {
    const env = { SVC_CONFIG: join(root, '../user.yml') };
    expect((await run(['dbt-config'], env)).code).toBe(0);
    const asked = ['show', '--inline', 'select name, type from duckdb_secrets()'];
    const { code, stdout } = await run(['dbt', '--log-level', 'debug', ...asked], env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/\|\s*api\s*\|\s*http\s*\|/) });
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
    expect(files.length).toBeGreaterThan(20);
    expect([stdout, ...texts].filter((text) => text.includes('planted-token'))).toEqual([]);
  });
});
