import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { huge, silent } from '../../idp/faults.ts';
import { createGithubIdp, type GithubIdp } from '../../idp/github.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../idp/keycloak.ts';
import { blockOf, providerOf, signIn, TRIP } from '../../unit/auth/providers/fixture.ts';
import { type RunningWorker, startWorker } from '../worker.ts';
import type { Errand } from './provider-worker.ts';

let folder: string;
let worker: RunningWorker;
let keycloak: KeycloakIdp;
let github: GithubIdp;

beforeAll(async () => {
  [keycloak, github] = [await createKeycloakIdp(), await createGithubIdp()];
  keycloak.client.redirects.push(TRIP.redirectUri);
  keycloak.start();
  folder = await mkdtemp(join(tmpdir(), 'svc-provider-'));
  await build({
    entryPoints: [fileURLToPath(new URL('./provider-worker.ts', import.meta.url))],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    // what Node alone has would fail here
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
  });
  const lines = [
    'name = "provider"',
    'main = "worker.js"',
    'compatibility_date = "2026-01-01"',
    'no_bundle = true',
  ];
  await writeFile(join(folder, 'wrangler.toml'), lines.join('\n'));
  worker = await startWorker(folder);
});
afterAll(async () => {
  await worker.close();
  for (const idp of [keycloak, github]) await idp.close();
  await rm(folder, { recursive: true });
});

const keycloakBlock = () =>
  blockOf('keycloak', keycloak.client, { server_url: keycloak.serverUrl, realm: keycloak.realm });
const githubBlock = () =>
  blockOf('github', github.client, {
    auth_url: `${github.origin}/login/oauth/authorize`,
    token_url: `${github.origin}/login/oauth/access_token`,
  });

async function run(errand: Pick<Errand, 'block' | 'code'> & Partial<Errand>) {
  const body = JSON.stringify({ trip: TRIP, timeoutMs: 20_000, ...errand });
  return (await fetch(worker.url, { method: 'POST', body })).json();
}

async function codeAt(block: Errand['block']): Promise<string> {
  return (await signIn(providerOf(block))).searchParams.get('code') ?? '';
}

test.each([
  ['keycloak', keycloakBlock, { id: 'ada', claims: { realm_roles: ['analyst'] } }],
  ['github', githubBlock, { id: '1815', username: 'ada' }],
] as const)('%s signs in from workerd, and says no to a used code', async (_name, blockNow, expected) => {
  const block = blockNow();
  const code = await codeAt(block);
  expect(await run({ block, code })).toMatchObject({ identity: { email: 'ada@example.com', ...expected } });
  expect(await run({ block, code })).toMatchObject({ failure: 'login_refused' });
});

test('the address to sign in at is the same as anywhere', async () => {
  const block = keycloakBlock();
  const { href } = await providerOf(block).authorizationUrl(TRIP);
  expect(await run({ block, code: '' })).toEqual({ url: href });
});

// redirects are not here: the harness sends requests out through Node, which follows them
test('bounds of time and size are as anywhere', async () => {
  const block = githubBlock();
  const route = 'POST /login/oauth/access_token';
  github.fail(route, huge);
  const big = await run({ block, code: 'c' });
  expect(big).toMatchObject({ failure: 'login_unavailable', message: expect.stringContaining('bytes') });
  github.fail(route, silent);
  const slow = await run({ block, code: 'c', timeoutMs: 200 });
  expect(slow).toMatchObject({ failure: 'login_unavailable', message: expect.stringContaining('too long') });
  github.heal();
});
