import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { sendLegacy } from '../../legacy-request.ts';
import { startReceiver } from '../adapters/otel/receiver.ts';
import { reply, startDouble } from '../adapters/references/http-double.ts';
import { startVault, VAULT_TOKEN } from '../adapters/references/vault-double.ts';
import { send as ask, serveWithAdmin } from './admin-server.ts';
import { folder, project } from './svc.ts';

const SITE = 'svc: 1\nproject: demo\nprofile: default\n';
const REDIRECT = 'https://client.example/callback';
const TABLE = 'svc: 1\ntool:\n  name: rows\n  source: { code: SELECT n FROM t }\n';

const userFile = (shared: string, profile: string) =>
  `svc: 1\n${shared}projects: { demo: { profiles: { default: { ${profile} } } } }\n`;

async function send(url: string, method: string, params: object): Promise<string> {
  return (await sendLegacy(url, method, params)).text();
}

async function serve(root: string, config: string, env: Readonly<Record<string, string>> = {}) {
  const path = join(folder(), 'config.yml');
  writeFileSync(path, config);
  const all = { ...env, SVC_CONFIG: path, SVC_DEBUG: '1' };
  const { server, url, socket } = await serveWithAdmin(root, { env: all });
  let reloads = 0;
  const reload = async () => {
    reloads += 1;
    server.child.kill('SIGHUP');
    await server.until(new RegExp(`("message":"reloaded"[\\s\\S]*){${reloads}}`), 'stderr');
  };
  return { server, url, socket, path, reload };
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

// Requirements: feature.reload, reread.python, reread.vault, secret.get_secret, signal.SIGHUP
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

// Requirements: state.in_progress, transition.at-once, transition.fails, transition.succeeds, transition.waits
it('begins at once, and until it has succeeded calls are answered on the old values', {
  timeout: 60_000,
}, async () => {
  const root = await project();
  const answers: PromiseWithResolvers<readonly [status: number, key: string]>[] = [];
  const vault = await startDouble(async (_request, response) => {
    const answer = Promise.withResolvers<readonly [status: number, key: string]>();
    answers.push(answer);
    if (answers.length === 1) answer.resolve([200, 'first']);
    const [status, key] = await answer.promise;
    reply(response, status, status === 200 ? { data: { data: { key }, metadata: {} } } : { errors: [key] });
  });
  writeKeyTool(root);
  const secrets = 'secrets: [{ name: db, type: custom, parameters: { key: "vault://secret/db#key" } }]';
  const config = userFile(`vault: { enabled: true, address: "${vault.url}" }\n`, secrets);
  const { url, socket } = await serve(root, config, { VAULT_TOKEN });
  const key = () => send(url, 'tools/call', { name: 'key', arguments: {} });
  const status = async () => (await ask(socket, '/status')).body.reload;
  expect(await key()).toContain('first');

  expect((await ask(socket, '/reload', 'POST')).body.status).toBe('reload_initiated');
  await vi.waitFor(() => expect(answers).toHaveLength(2), 20_000);
  expect(await status()).toMatchObject({ in_progress: true, last_reload_status: null });
  expect(await key()).toContain('first');
  expect(await status()).toMatchObject({ in_progress: true });
  answers[1]?.resolve([200, 'second']);
  const succeeded = { in_progress: false, last_reload_status: 'success', last_reload_error: null };
  await vi.waitFor(async () => expect(await status()).toMatchObject(succeeded), 20_000);
  expect(await key()).toContain('second');

  await ask(socket, '/reload', 'POST');
  await vi.waitFor(() => expect(answers.length).toBeGreaterThan(2), 20_000);
  for (const { resolve } of answers) resolve([403, 'planted-refusal']);
  const failed = {
    in_progress: false,
    last_reload_status: 'error',
    last_reload_error: expect.stringMatching(/vault/i),
  };
  await vi.waitFor(async () => expect(await status()).toMatchObject(failed), 20_000);
  expect(await key()).toContain('second');
});

// Requirements: reread.database
it('opens the connections anew of a database that stays open for writing', { timeout: 60_000 }, async () => {
  const root = await project();
  // A statement that names the function itself would get a connection of its own for each call.
  await runScript(join(root, 'data/db-default.db'), 'CREATE VIEW t AS SELECT current_connection_id() AS n');
  writeFileSync(join(root, 'tools/rows.yml'), TABLE);
  const { url, reload } = await serve(root, userFile('', ''));
  const connection = async () => {
    const { result } = JSON.parse(await send(url, 'tools/call', { name: 'rows', arguments: {} }));
    return result.content[0].text;
  };
  const kept = await vi.waitFor(async () => {
    const [one, two] = [await connection(), await connection()];
    expect(two).toBe(one);
    return one;
  }, 20_000);
  await reload();
  const seen = [await connection(), await connection(), await connection()];
  expect(seen).not.toContain(kept);
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
  writeFileSync(join(root, 'tools/old.yml'), 'svc: 1\ntool: { name: old, source: { file: old.sql } }\n');
  writeFileSync(join(root, 'tools/old.sql'), "SELECT 'as it was' AS said");
  const { url, socket, path, reload } = await serve(root, userFile('', ''));
  const listed = await send(url, 'tools/list', {});
  expect(listed).toContain('hello_world');
  const called = await send(url, 'tools/call', { name: 'old', arguments: {} });
  expect(called).toContain('as it was');
  const endpoints = (await ask(socket, '/endpoints')).body;
  writeFileSync(join(root, 'svc-site.yml'), `${SITE}sql_tools: { enabled: true }\n`);
  writeFileSync(join(root, 'tools/rows.yml'), TABLE);
  writeFileSync(join(root, 'tools/broken.yml'), 'svc: 1\ntool: { nome: x }\n');
  writeFileSync(join(root, 'tools/old.sql'), "SELECT 'as it is' AS said");
  const auth = 'auth: { provider: github, github: { client_id: c, client_secret: s } }';
  writeFileSync(path, userFile('transport: { http: { port: 1, host: 127.0.0.2 } }\n', auth));
  await reload();
  expect(await send(url, 'tools/list', {})).toBe(listed);
  expect(await send(url, 'tools/call', { name: 'old', arguments: {} })).toBe(called);
  expect((await ask(socket, '/endpoints')).body).toEqual(endpoints);
});

// Requirements: not-reread.provider, auth.3
it('keeps the sign-in that a user file no longer has, with its settings', { timeout: 60_000 }, async () => {
  const clients = `clients: [{ client_id: known, name: Known, redirect_uris: ["${REDIRECT}"] }]`;
  const auth = (id: string) =>
    `auth: { provider: github, github: { client_id: ${id}, client_secret: s, callback_path: /${id} }, ${clients} }`;
  const { url, path, reload } = await serve(await project(), userFile('', auth('old')));
  const signIn = async () => {
    const asked = { response_type: 'code', client_id: 'known', redirect_uri: REDIRECT, state: 's' };
    const pkce = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    const away = new URL(`/authorize?${new URLSearchParams({ ...asked, ...pkce })}`, url);
    const { headers } = await fetch(away, { redirect: 'manual' });
    const { searchParams } = new URL(headers.get('location') ?? '');
    return [searchParams.get('client_id'), new URL(searchParams.get('redirect_uri') ?? '').pathname];
  };
  expect(await send(url, 'tools/list', {})).toContain('A bearer token is required.');
  expect(await signIn()).toEqual(['old', '/old']);
  writeFileSync(path, userFile('', auth('new')));
  await reload();
  expect(await signIn()).toEqual(['old', '/old']);
  writeFileSync(path, userFile('', ''));
  await reload();
  expect(await send(url, 'tools/list', {})).toContain('A bearer token is required.');
});
