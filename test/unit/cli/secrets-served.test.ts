import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startVault, VAULT_TOKEN } from '../adapters/references/vault-double.ts';
import { folder, project, Svc, svc } from './svc.ts';

const PLANTED = ['planted-literal', 'planted-env', 'planted-vault', 'planted-file', VAULT_TOKEN];

const userFile = (vault: string) => `svc: 1
vault: { enabled: true, address: "${vault}", token_env: MY_TOKEN }
models: { fast: { type: claude, api_key: "\${KEY}" } }
logging: { level: DEBUG, format: json }
projects:
  demo:
    profiles:
      default:
        secrets:
          - name: web
            type: http
            parameters: { bearer_token: planted-literal, extra_http_headers: { x: "vault://secret/db#password", y: "file://key.txt", z: "<\${KEY}>" } }
        plugin: { config: { mine: { key: "\${KEY}" } } }
        telemetry: { headers: { authorization: "Bearer \${KEY}" } }
`;

const tool = (name: string, sql: string) =>
  `svc: 1\ntool:\n  name: ${name}\n  source:\n    code: |\n      ${sql}\n`;

const TOOLS = {
  broken: "SELECT error('the query failed') FROM duckdb_functions()",
  cast: "SELECT 'text'::INTEGER AS n",
  secret_list: 'SELECT * FROM duckdb_secrets()',
  secret_one: "SELECT * FROM which_secret('https://x.example', 'http')",
  secret_made: "CREATE OR REPLACE TEMPORARY SECRET web (TYPE http, bearer 'x')",
  settings: "SELECT * FROM duckdb_settings() WHERE name ILIKE '%secret%' OR name ILIKE '%token%'",
  environment: "SELECT getenv('KEY') AS key",
};

async function demo() {
  const root = await project();
  writeFileSync(join(root, 'key.txt'), 'planted-file\n');
  for (const [name, sql] of Object.entries(TOOLS))
    writeFileSync(join(root, `tools/${name}.yml`), tool(name, sql));
  writeFileSync(
    join(root, 'svc-site.yml'),
    'svc: 1\nproject: demo\nprofile: default\nsecrets: [web]\nsql_tools: { enabled: true }\nprofiles: { default: { audit: { enabled: true } } }\n',
  );
  const vault = await startVault({ v2: { 'secret/db': { password: 'planted-vault' } } });
  const HOME = folder();
  mkdirSync(join(HOME, '.svc'));
  writeFileSync(join(HOME, '.svc/config.yml'), userFile(vault.url));
  return { root, env: { HOME, KEY: 'planted-env', MY_TOKEN: VAULT_TOKEN, SVC_DEBUG: '1' } };
}

const leaksOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).flatMap(([where, text]) =>
    PLANTED.filter((secret) => text.includes(secret)).map((secret) => `${where}: ${secret}`),
  );

/** Calls that answer, fail, are refused, or are no calls at all. */
const MESSAGES: readonly { readonly method: string; readonly params: object }[] = [
  { method: 'tools/list', params: {} },
  { method: 'tools/call', params: { name: 'hello_world', arguments: { name: 'Ada' } } },
  { method: 'tools/call', params: { name: 'hello_world', arguments: { name: 7, more: true } } },
  { method: 'tools/call', params: { name: 'nothing', arguments: {} } },
  ...Object.keys(TOOLS).map((name) => ({ method: 'tools/call', params: { name, arguments: {} } })),
  ...[
    'FROM duckdb_secrets()',
    "SELECT which_secret('https://x.example', 'http')",
    "SELECT getenv('KEY')",
    "SELECT * FROM read_text('key.txt')",
    'SELEC 1',
  ].map((sql) => ({ method: 'tools/call', params: { name: 'execute_sql_query', arguments: { sql } } })),
  { method: 'resources/read', params: { uri: 'file:///etc/passwd' } },
  { method: 'no/such/method', params: {} },
];

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

describe('secrets', { timeout: 120_000 }, () => {
  // Requirements: admin./config, model.api_key
  it('are in nothing that a server over HTTP says, writes or answers', async () => {
    const { root, env } = await demo();
    const socket = join(folder(), 'admin.sock');
    const running = new Svc(['serve', '--port', '0', '--json'], {
      cwd: root,
      env: { ...env, SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: socket },
    });
    const { url } = JSON.parse((await running.until(/^\{.*\}$/m))[0]);
    const texts: Record<string, string> = {};
    const keep = async (name: string, response: Response) => {
      texts[name] = JSON.stringify([...response.headers]) + (await response.text());
    };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const post = (body: string) => fetch(url, { method: 'POST', headers, body });
    for (const [id, message] of MESSAGES.entries()) {
      const body = JSON.stringify({ jsonrpc: '2.0', id, ...message });
      await keep(`${id} ${body}`, await post(body));
    }
    await keep('nonsense', await post('{nonsense'));
    for (const path of ['/', '/health', '/ready', '/nothing'])
      await keep(path, await fetch(new URL(path, url)));
    for (const path of ['status', 'config', 'endpoints', 'audit/query', 'reload', 'nothing']) {
      const { stdout, stderr } = await svc(['admin', path, '--socket', socket], root, env);
      texts[`admin ${path}`] = stdout + stderr;
    }
    running.child.kill('SIGHUP');
    await running.until(/"message":"reloaded"/, 'stderr');
    running.child.kill('SIGTERM');
    const { stdout, stderr } = await running.ended;
    for (const file of readdirSync(join(root, 'audit'))) {
      texts[file] = readFileSync(join(root, 'audit', file), 'utf8');
    }
    expect(texts[`1 ${JSON.stringify({ jsonrpc: '2.0', id: 1, ...MESSAGES[1] })}`]).toContain('Ada');
    expect(stderr).toContain('the query failed');
    expect(Object.keys(texts)).toContain('logs-default.jsonl');
    expect(leaksOf({ ...texts, stdout, stderr })).toEqual([]);
  });

  it('are in nothing that a server over stdio says', async () => {
    const { root, env } = await demo();
    const running = new Svc(['serve', '--transport', 'stdio'], { cwd: root, env });
    const send = (message: object) =>
      running.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ id: 0, ...INITIALIZE });
    await running.until(/"id":0/);
    send({ method: 'notifications/initialized' });
    for (const [index, message] of MESSAGES.entries()) send({ id: index + 1, ...message });
    running.child.stdin?.write('{nonsense\n');
    for (const index of MESSAGES.keys()) await running.until(new RegExp(`"id":${index + 1}[,}]`));
    running.child.stdin?.end();
    const { stdout, stderr } = await running.ended;
    expect(stdout).toContain('Ada');
    expect(stderr).toContain('the query failed');
    expect(leaksOf({ stdout, stderr })).toEqual([]);
    // and each line of a request names it
    const lines = stderr.split('\n').filter((line) => line.includes('tools/call broken failed'));
    expect(lines.map((line) => typeof JSON.parse(line).request_id)).toEqual(['string']);
  });

  it('are in nothing that `svc init` says or writes', async () => {
    const { env } = await demo();
    const parent = folder();
    const texts: Record<string, string> = {};
    for (const args of [
      ['plain'],
      ['full', '--bootstrap'],
      ['full', '--bootstrap'],
      ['again', '--bootstrap', '--json'],
    ]) {
      const { stdout, stderr } = await svc(['init', ...args, '--yes', '--debug'], parent, env);
      texts[args.join(' ')] = stdout + stderr;
    }
    for (const file of readdirSync(parent, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) texts[file.name] = readFileSync(join(file.parentPath, file.name), 'latin1');
    }
    expect(Object.keys(texts)).toContain('svc-site.yml');
    expect(leaksOf(texts)).toEqual([]);
  });
});
