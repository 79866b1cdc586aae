import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadDriver } from '../../adapters/duckdb-native/driver/driver.ts';
import { commandNameOf } from '../../cli/command.ts';
import { COMMANDS } from '../../cli/table.ts';
import { PACKAGE, Program } from './installed.ts';

/*
 * The example of each command in docs/reference/commands.md, as it is written, with the packed package and the optional
 * parts that it asks for. Only ports are others.
 */

const WHOLE = join(PACKAGE ?? '', 'whole/node_modules');

/** Examples that need a program or a service of somebody else. They say so, and how to go on. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  evals: /no model|model gpt-4\.1|api_key|API key/i,
  doctor: /mcp\.example\.com/,
  inspect: /Inspector|inspector|npx/,
  dbt: /dbt/,
  preview: /wrangler|--public|sign-in/,
};

/** Examples that ask a running server. */
const ASKING: ReadonlySet<string> = new Set(['admin', 'call']);
const SERVED: ReadonlySet<string> = new Set(['serve', 'dev']);

const SITE = `svc: 1
project: demo
profile: default
profiles:
  default:
    database: { path: data/db-default.db, readonly: true }
    audit: { enabled: true, path: audit/logs-default.jsonl }
`;
const USER = `svc: 1
projects:
  demo:
    profiles:
      default:
        auth:
          provider: github
          allow: { domains: [example.com] }
          github: { client_id: id, client_secret: '\${GITHUB_SECRET}' }
`;
const SUITE = `svc: 1
suite: shop
tests:
  - { name: greets, prompt: Greet Ada, assertions: { must_call: [{ tool: hello_world }] } }
`;
const OLD_SITE = 'mxcp: 1\nproject: analytics\nprofile: default\n';

let folder: string;
let demo: string;
let env: Readonly<Record<string, string>>;

/** Runs a line of a page in the demo project. */
function shell(line: string, cwd = demo, more: Readonly<Record<string, string>> = {}) {
  const all = { ...env, ...more };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd, env: all, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

/** Starts a server and returns its port. */
async function serve(args: readonly string[]): Promise<string> {
  const svc = join(folder, 'node_modules/.bin/svc');
  const program = new Program(process.execPath, [svc, ...args], demo, env);
  const [, port = ''] = await program.until(/serving .* on http:\/\/[\w.]+:(\d+)\/mcp/);
  return port;
}

describe.skipIf(PACKAGE === undefined)('the example of', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-commands-'));
    demo = join(folder, 'demo');
    const home = join(folder, 'home');
    mkdirSync(home);
    symlinkSync(WHOLE, join(folder, 'node_modules'));
    env = {
      HOME: home,
      SVC_ADMIN_ENABLED: 'true',
      SVC_ADMIN_SOCKET: join(folder, 'admin.sock'),
      PATH: [join(folder, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
    };
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    mkdirSync(join(folder, 'analytics'));
    writeFileSync(join(folder, 'analytics/mxcp-site.yml'), OLD_SITE);
    expect(shell('svc init --bootstrap demo --yes && cd demo && git init -q', folder)).toMatchObject({
      code: 0,
    });
    writeFileSync(join(demo, 'svc-site.yml'), SITE);
    writeFileSync(join(demo, 'user.yml'), USER);
    mkdirSync(join(demo, 'evals'));
    writeFileSync(join(demo, 'evals/shop-evals.yml'), SUITE);
    for (const path of ['demo/data/db-default.db', 'sales.duckdb']) {
      const instance = await (await loadDriver()).openInstance(join(folder, path));
      const connection = await instance.connect();
      await connection.run("CREATE TABLE customers AS SELECT 7 AS id, 'Ada' AS name");
      connection.closeSync();
      instance.closeSync();
    }
    expect(shell('svc drift-snapshot && svc build --target node --public --out build/node')).toMatchObject({
      code: 0,
    });
    expect(shell('svc run tool hello_world --param name=Ada')).toMatchObject({ code: 0 });
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(COMMANDS.map((command) => ({ name: commandNameOf(command), ...command })))(
    'svc $name',
    async ({ name, example }) => {
      if (SERVED.has(name)) return void (await serve(example.replace('8000', '0').split(' ').slice(1)));
      if (ASKING.has(name)) {
        const port = await serve(['serve', '--port', '0']);
        const settings = { SVC_CONFIG_YAML: `{ svc: 1, transport: { http: { port: ${port} } } }` };
        return void expect(shell(example, demo, settings)).toMatchObject({ code: 0 });
      }
      if (name === 'init')
        return void expect(shell(example, join(folder, 'home'))).toMatchObject({ code: 0 });
      const cwd = name === 'convert' ? folder : demo;
      // The Inspector would be downloaded.
      const { code, output } = shell(example, cwd, name === 'inspect' ? { npm_config_offline: 'true' } : {});
      const elsewhere = ELSEWHERE[name];
      if (elsewhere === undefined) expect(code, output).toBe(0);
      else expect(output).toMatch(elsewhere);
      expect(output).not.toMatch(/internal error|TypeError|at file:\/\//);
    },
  );
});
