import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { startReceiver } from '../adapters/otel/receiver.ts';
import { startVault, VAULT_TOKEN } from '../adapters/references/vault-double.ts';
import { folder, project, Svc } from './svc.ts';

const SITE = 'svc: 1\nproject: demo\nprofile: default\n';
const TABLE = 'svc: 1\ntool:\n  name: rows\n  source: { code: SELECT n FROM t }\n';

const userFile = (shared: string, profile: string) =>
  `svc: 1\n${shared}projects: { demo: { profiles: { default: { ${profile} } } } }\n`;

async function send(url: string, method: string, params: object): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return (await fetch(url, { method: 'POST', headers, body })).text();
}

async function serve(root: string, config: string, env: Readonly<Record<string, string>> = {}) {
  const path = join(folder(), 'config.yml');
  writeFileSync(path, config);
  const all = { ...env, SVC_CONFIG: path, SVC_DEBUG: '1' };
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env: all });
  const { url } = JSON.parse((await server.until(/^\{.*\}$/m))[0]);
  const reload = async () => {
    server.child.kill('SIGHUP');
    await server.until(/"?reloaded"?/, 'stderr');
  };
  return { server, url: String(url), path, reload };
}

/** Adds a tool in Python that answers with the secret `db`. */
function writeKeyTool(root: string): void {
  writeFileSync(join(root, 'svc-site.yml'), `${SITE}secrets: [db]\n`);
  writeFileSync(join(root, 'tools/key.yml'), 'svc: 1\ntool: { name: key, source: { file: key.py } }\n');
  const python = [
    'from svc.runtime import config',
    'def key():',
    '    return [config.get_secret("db"), config.get_secret("nobody")]',
  ];
  writeFileSync(join(root, 'tools/key.py'), python.join('\n'));
}

// Requirements: reread.database, reread.files, reread.vault
it('reads references and the database again', { timeout: 60_000 }, async () => {
  const root = await project();
  const vault = await startVault({ v2: { 'secret/db': { password: 'planted' } } });
  writeFileSync(join(root, 'svc-site.yml'), `${SITE}secrets: [db]\n`);
  writeFileSync(join(root, 'tools/rows.yml'), TABLE);
  mkdirSync(join(root, 'data'), { recursive: true });
  await runScript(join(root, 'data/one.db'), 'CREATE TABLE t AS SELECT 111 AS n');
  await runScript(join(root, 'data/two.db'), 'CREATE TABLE t AS SELECT 222 AS n');
  const secrets = 'secrets: [{ name: db, type: custom, parameters: { key: "vault://secret/db#password" } }]';
  const config = userFile(`vault: { enabled: true, address: "${vault.url}" }\n`, secrets);
  const env = { VAULT_TOKEN, SVC_READONLY: 'true', SVC_DATABASE_PATH: 'data/one.db' };
  const { url, reload } = await serve(root, config, env);
  const rows = () => send(url, 'tools/call', { name: 'rows', arguments: {} });
  expect(vault.asked).toHaveLength(1);
  renameSync(join(root, 'data/two.db'), join(root, 'data/one.db'));
  expect(await rows()).toContain('111');
  await reload();
  expect(vault.asked).toHaveLength(2);
  expect(await rows()).toContain('222');
});

/** A module that changes the environment of the process that it is loaded into, at SIGUSR2. */
const CHANGES = `process.on('SIGUSR2', () => {
  process.env.DB_KEY = 'second';
  process.stderr.write('the environment has changed\\n');
});
`;

// Requirements: reread.environment
it('reads environment variables again', { timeout: 60_000 }, async () => {
  const root = await project();
  const changes = join(root, 'changes.mjs');
  writeFileSync(changes, CHANGES);
  writeKeyTool(root);
  const secrets = 'secrets: [{ name: db, type: custom, parameters: { key: "${DB_KEY}" } }]';
  const env = { DB_KEY: 'first', NODE_OPTIONS: `--import=${changes}` };
  const { server, url, reload } = await serve(root, userFile('', secrets), env);
  const answer = () => send(url, 'tools/call', { name: 'key', arguments: {} });
  expect(await answer()).toContain('first');
  server.child.kill('SIGUSR2');
  await server.until(/the environment has changed/, 'stderr');
  expect(await answer()).toContain('first');
  await reload();
  expect(await answer()).toContain('second');
});

// Requirements: reread.python, reread.vault, secret.get_secret, signal.SIGHUP
it('gives Python the new values of the secret manager', { timeout: 60_000 }, async () => {
  const root = await project();
  const values = { password: 'first' };
  const vault = await startVault({ v2: { 'secret/db': values } });
  writeKeyTool(root);
  const secrets = 'secrets: [{ name: db, type: custom, parameters: { key: "vault://secret/db#password" } }]';
  const config = userFile(`vault: { enabled: true, address: "${vault.url}" }\n`, secrets);
  const { url, reload } = await serve(root, config, { VAULT_TOKEN });
  const answer = () => send(url, 'tools/call', { name: 'key', arguments: {} });
  expect(await answer()).toContain(JSON.stringify(JSON.stringify([{ key: 'first' }, null])).slice(1, -1));
  values.password = 'second';
  expect(await answer()).toContain('first');
  await reload();
  expect(await answer()).toContain('second');
});

// Requirements: reread.files, telemetry.enabled, telemetry.endpoint, telemetry.headers, telemetry.metrics.export_interval
it('reads the headers of telemetry again', { timeout: 60_000 }, async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const key = join(folder(), 'key');
  writeFileSync(key, 'first');
  const telemetry = `telemetry: { enabled: true, endpoint: "${receiver.url}", headers: { x-key: "file://${key}" }, metrics: { export_interval: 1 } }`;
  const { url, reload } = await serve(await project(), userFile('', telemetry));
  const keys = () => receiver.requests.map(({ path, headers }) => `${path} ${headers['x-key']}`);
  const call = () => send(url, 'tools/call', { name: 'hello_world', arguments: { name: 'Ada' } });
  const arrives = (value: string) =>
    vi.waitFor(
      () => expect(keys()).toEqual(expect.arrayContaining([`/v1/traces ${value}`, `/v1/metrics ${value}`])),
      30_000,
    );
  await call();
  await arrives('first');
  writeFileSync(key, 'second');
  await reload();
  await call();
  await arrives('second');
});

// Requirements: not-reread.*, state.others
it('leaves what files say, who asks for tokens, the port and the endpoints', {
  timeout: 60_000,
}, async () => {
  const root = await project();
  const { url, path, reload } = await serve(root, userFile('', ''));
  const listed = await send(url, 'tools/list', {});
  expect(listed).toContain('hello_world');
  writeFileSync(join(root, 'svc-site.yml'), `${SITE}sql_tools: { enabled: true }\n`);
  writeFileSync(join(root, 'tools/rows.yml'), TABLE);
  const auth = 'auth: { provider: github, github: { client_id: c, client_secret: s } }';
  writeFileSync(path, userFile('transport: { http: { port: 1 } }\n', auth));
  await reload();
  expect(await send(url, 'tools/list', {})).toBe(listed);
});

// Requirements: not-reread.provider, auth.3
it('keeps the sign-in that a user file no longer has', { timeout: 60_000 }, async () => {
  const auth = 'auth: { provider: github, github: { client_id: c, client_secret: s } }';
  const { url, path, reload } = await serve(await project(), userFile('', auth));
  expect(await send(url, 'tools/list', {})).toContain('A bearer token is required.');
  writeFileSync(path, userFile('', ''));
  await reload();
  expect(await send(url, 'tools/list', {})).toContain('A bearer token is required.');
});
