import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGithubIdp, type GithubIdp } from '../../../idp/github.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../../idp/keycloak.ts';
import type { Served } from '../../call/project.ts';
import { callWith, sdk1, sdk2, signInStrictly } from './peers.ts';
import { REDIRECT } from './people.ts';
import { type FlowServer, serveProject, startServer } from './server.ts';

let github: GithubIdp;
let keycloak: KeycloakIdp;
let served: Served;
let server: FlowServer;
let checking: FlowServer;

beforeAll(async () => {
  [github, keycloak] = [await createGithubIdp(), await createKeycloakIdp({ secret: 'planted-plain' })];
  served = await serveProject();
  const provider = (callback: string) => ({
    id: 'github' as const,
    client_id: github.client.id,
    client_secret: github.client.secret,
    callback_path: new URL(callback).pathname,
    auth_url: `${github.origin}/login/oauth/authorize`,
    token_url: `${github.origin}/login/oauth/access_token`,
  });
  server = await startServer({
    served,
    auth: (callback) => ({ provider: provider(callback) }),
    transport: 'sse',
  });
  github.client.redirects.push(server.callback);
  keycloak.client.redirects.push(REDIRECT);
  keycloak.start();
  const verifier = { issuer: keycloak.issuer, audience: [], provider_name: 'acme' };
  const auth = { mode: 'verifier', verifier, keys: [] } as const;
  checking = await startServer({ served, auth: () => auth, transport: 'sse' });
});
afterAll(async () => {
  for (const one of [server, checking, github, keycloak, served]) await one.close();
});

test.each([
  ['SDK 2', sdk2],
  ['SDK 1', sdk1],
] as const)('%s signs in over the transport sse', async (_name, peer) => {
  const client = await peer(undefined, true).signIn(server.sse);
  expect((await client.call('whoami')).text).toContain('ada@example.com');
  await client.close();
});

test.each([
  ['SDK 2', sdk2],
  ['SDK 1', sdk1],
] as const)('%s finds another server that gives out the tokens over sse', async (_name, peer) => {
  const known = { client_id: keycloak.client.id, client_secret: keycloak.client.secret };
  const client = await peer(known, true).signIn(checking.sse);
  expect((await client.call('whoami')).text).toContain('ada@example.com');
  await client.close();
});

// Requirements: auth.3
test('a connection and a message over sse need a valid token', async () => {
  for (const { sse } of [server, checking]) {
    for (const headers of [{}, { authorization: 'Bearer planted' }]) {
      for (const [path, method] of [
        ['/sse', 'GET'],
        ['/messages?session_id=x', 'POST'],
      ] as const) {
        const body = method === 'POST' ? '{}' : null;
        const { status } = await fetch(new URL(path, sse), { method, headers, body });
        expect([path, headers, status]).toEqual([path, headers, 401]);
      }
    }
  }
});

test('a token for the one address is good for the other, because it is one server', async () => {
  const { tokens } = await signInStrictly(server.sse);
  expect((await callWith(server.mcp, tokens.access_token, 'whoami')).status).toBe(200);
});

test('without that transport there is no such address to get tokens for', async () => {
  const plain = await startServer({ served, auth: () => ({ provider: githubOf() }) });
  const path = '/.well-known/oauth-protected-resource';
  const status = async (url: string) => (await fetch(new URL(url, plain.mcp))).status;
  expect([await status(`${path}/mcp`), await status(`${path}/sse`)]).toEqual([200, 404]);
  await plain.close();
});

function githubOf() {
  const urls = { auth_url: `${github.origin}/a`, token_url: `${github.origin}/t` };
  return { id: 'github' as const, client_id: 'x', client_secret: 'y', callback_path: '/callback', ...urls };
}
