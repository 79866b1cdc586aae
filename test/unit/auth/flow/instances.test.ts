import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { toAddressOptions } from '../../../../adapters/node/http/addresses.ts';
import { createListener } from '../../../../adapters/node/http/listener.ts';
import { createApp } from '../../../../src/app.ts';
import { createAuth } from '../../../../src/auth/create.ts';
import { generateKey } from '../../../../src/crypto/keys.ts';
import type { AuthSettings } from '../../../../src/settings/model.ts';
import { createHost, type Host } from '../../../idp/host.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../../idp/keycloak.ts';
import type { Served } from '../../call/project.ts';
import { callWith, sdk1, sdk2, signInStrictly, strict } from './peers.ts';
import { NONE, serveProject } from './server.ts';

const [OLD, NEW] = [generateKey(), generateKey()];
/** A rotation between its two phases: every instance knows both keys, and not all have the new one first yet. */
const ROTATING = [
  [OLD, NEW],
  [NEW, OLD],
  [OLD, NEW],
];

let idp: KeycloakIdp;
let served: Served;
let front: Host;
/** What the three instances know; they have nothing else in common. */
let rings: readonly AuthSettings['keys'][];

beforeAll(async () => {
  [idp, served, front] = [await createKeycloakIdp(), await serveProject(), await createHost()];
  idp.client.redirects.push(`${front.origin}/callback`);
  idp.start();
  let turn = 0;
  front.serve((request, response) => {
    turn = (turn + 1) % rings.length;
    createListener({ app: createInstance(rings[turn] ?? []) })(request, response);
  });
});
beforeEach(() => {
  rings = [[OLD], [OLD], [OLD]];
});
afterAll(async () => {
  for (const one of [front, idp, served]) await one.close();
});

/** An instance that has just started: it lives for one request. */
function createInstance(keys: AuthSettings['keys']) {
  const { id, secret } = idp.client;
  const provider = {
    id: 'keycloak',
    client_id: id,
    client_secret: secret,
    callback_path: '/callback',
    server_url: idp.serverUrl,
    realm: idp.realm,
    claim_mappings: { 'realm_access.roles': { analyst: ['role:admin'] } },
  } as const;
  const http = {
    ...{ port: 8000, host: '127.0.0.1', scheme: 'http' as const, base_url: front.origin },
    ...{ trust_proxy: false, stateless: true, allowed_hosts: null, allowed_origins: null, rate_limit: null },
  };
  const log = () => undefined;
  const auth = createAuth({
    settings: { auth: { ...NONE, keys, provider }, transport: { http } },
    ...{ project: 'flow', endpointScopes: [], store: null, fetchDocument: null, listens: http, log },
  });
  const runtime = () => served.runtime;
  return createApp({
    runtime,
    version: '1',
    stateless: true,
    log,
    auth,
    ...toAddressOptions(http, { signIn: true }),
  });
}

test.each([sdk2(), sdk1(), strict])(
  '$name signs in, each request at another instance',
  async ({ signIn }) => {
    const client = await signIn(new URL(`${front.origin}/mcp`));
    const { token, ...who } = JSON.parse((await client.call('whoami')).text);
    expect(who).toEqual({ email: 'ada@example.com', username: 'ada', provider: 'keycloak' });
    expect(token).toEqual(expect.any(String));
    for (const _call of rings) expect((await client.call('audit')).text).toContain('1815');
    await client.close();
  },
);

test('a code counts once, whichever instance is asked', async () => {
  const { redeem } = await signInStrictly(new URL(`${front.origin}/mcp`));
  for (const _call of rings) {
    await expect(redeem()).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
  }
});

test('keys are rotated while people sign in, and what the old one sealed counts until it goes', async () => {
  const mcp = new URL(`${front.origin}/mcp`);
  const statuses = async (token: string) =>
    new Set(await Promise.all(rings.map(async () => (await callWith(mcp, token, 'audit')).status)));
  const before = (await signInStrictly(mcp)).tokens.access_token;
  rings = ROTATING;
  const during = (await signInStrictly(mcp)).tokens.access_token;
  for (const token of [before, during]) expect(await statuses(token)).toEqual(new Set([200]));
  rings = [[NEW], [NEW], [NEW]];
  const after = (await signInStrictly(mcp)).tokens.access_token;
  expect(await statuses(after)).toEqual(new Set([200]));
  expect(await statuses(before)).toEqual(new Set([401]));
});
