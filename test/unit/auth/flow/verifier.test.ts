import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeycloakIdp, type KeycloakIdp } from '../../../idp/keycloak.ts';
import type { Served } from '../../call/project.ts';
import { grantTo } from '../fixture.ts';
import { callWith, sdk1, sdk2 } from './peers.ts';
import { REDIRECT } from './people.ts';
import { type FlowServer, serveProject, startServer } from './server.ts';

let idp: KeycloakIdp;
let served: Served;
let server: FlowServer;
/** A server that requires a scope, which the issuer knows. */
let strict: FlowServer;

beforeAll(async () => {
  // the SDKs do not encode what HTTP Basic carries
  [idp, served] = [await createKeycloakIdp({ secret: 'planted-plain' }), await serveProject()];
  idp.client.redirects.push(REDIRECT);
  idp.start();
  const claim_mappings = { 'realm_access.roles': { analyst: ['role:admin'] } };
  const verifier = { issuer: idp.issuer, audience: [], claim_mappings, provider_name: 'acme' };
  const auth = { mode: 'verifier', verifier, keys: [] } as const;
  server = await startServer({ served, auth: () => auth });
  const grants = grantTo({ claims: { department: ['engines'] } }, 'mcp:use');
  strict = await startServer({ served, auth: () => ({ ...auth, required_scopes: ['mcp:use'], grants }) });
});
afterAll(async () => {
  await server.close();
  await strict.close();
  await idp.close();
  await served.close();
});

const known = () => ({ client_id: idp.client.id, client_secret: idp.client.secret });

const PEERS = [
  ['SDK 2', sdk2],
  ['SDK 1', sdk1],
] as const;

// Requirements: rs.challenge
test.each(PEERS)('%s requests the required scope, and signs in with it', async (_name, peer) => {
  const client = await peer(known()).signIn(strict.mcp);
  expect((await client.call('audit')).text).toContain('1815');
  await client.close();
});

// Requirements: rs.challenge
test.each(PEERS)('%s finds the other server by itself, and calls as that person', async (_name, peer) => {
  const client = await peer(known()).signIn(server.mcp);
  const who = JSON.parse((await client.call('whoami')).text);
  expect(who).toEqual({ email: 'ada@example.com', username: 'ada', provider: 'acme', token: null });
  expect((await client.call('audit')).text).toContain('1815');
  await client.close();
});

// Requirements: rs.audience
test('a token of the same server for somebody else counts for nobody', async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: idp.issuer, sub: 'ada', iat: now, exp: now + 60, department: 'engines' };
  const call = async (aud: string, scope = 'mcp:use') => {
    const token = await idp.signer.sign({ ...claims, aud, scope }, { typ: 'at+jwt' });
    return (await callWith(strict.mcp, token, 'whoami')).status;
  };
  expect(await call(strict.mcp.href)).toBe(200);
  expect(await call('account')).toBe(401);
  expect(await call(idp.client.id)).toBe(401);
  expect(await call(strict.mcp.href, 'openid')).toBe(403);
});
