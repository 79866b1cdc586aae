import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { PROVIDER_IDS, type ProviderId } from '../../../../src/settings/schema/providers.ts';
import { createAtlassianIdp } from '../../../idp/atlassian.ts';
import { answers } from '../../../idp/faults.ts';
import type { Registered } from '../../../idp/front.ts';
import { createGithubIdp } from '../../../idp/github.ts';
import { createGoogleIdp } from '../../../idp/google.ts';
import type { Host } from '../../../idp/host.ts';
import { createKeycloakIdp } from '../../../idp/keycloak.ts';
import { createSalesforceIdp } from '../../../idp/salesforce.ts';
import type { Served } from '../../call/project.ts';
import { createMemoryStore } from '../memory-store.ts';
import { callWith, sdk1, sdk2, signInStrictly, strict } from './peers.ts';
import { type FlowServer, serveProject, startServer } from './server.ts';

interface Stand {
  readonly idp: Host;
  readonly client: Registered;
  readonly block: Omit<ProviderBlock, 'client_id' | 'client_secret' | 'callback_path'>;
  /** Where codes and refresh tokens are redeemed. */
  readonly token: string;
  /** What ends tokens; null: nothing does. */
  readonly revoke: string | null;
  readonly username: string;
  start(): void;
}

const ADMIN = ['role:admin'];

const STANDS: Readonly<Record<ProviderId, () => Promise<Stand>>> = {
  github: async () => {
    // a GitHub App: its tokens end, and refresh
    const idp = await createGithubIdp({ app: true });
    return {
      idp,
      client: idp.client,
      block: {
        id: 'github',
        auth_url: `${idp.origin}/login/oauth/authorize`,
        token_url: `${idp.origin}/login/oauth/access_token`,
        scope: 'read:user user:email read:org',
        claim_mappings: { groups: { 'acme/admins': ADMIN } },
      },
      token: 'POST /login/oauth/access_token',
      revoke: 'DELETE /api/v3/applications/Iv1.svc/token',
      username: 'ada',
      start: () => undefined,
    };
  },
  atlassian: async () => {
    const idp = await createAtlassianIdp();
    return {
      idp,
      client: idp.client,
      block: {
        id: 'atlassian',
        auth_url: `${idp.origin}/authorize`,
        token_url: `${idp.origin}/oauth/token`,
        scope: 'read:me read:jira-user offline_access',
        claim_mappings: { groups: { 'acme.atlassian.net/jira-administrators': ADMIN } },
      },
      token: 'POST /oauth/token',
      revoke: null,
      username: 'ada',
      start: () => undefined,
    };
  },
  salesforce: async () => {
    const idp = await createSalesforceIdp();
    return {
      idp,
      client: idp.client,
      block: {
        id: 'salesforce',
        auth_url: `${idp.origin}/services/oauth2/authorize`,
        token_url: `${idp.origin}/services/oauth2/token`,
        claim_mappings: { organization_id: { '00Dxx0000001gPLEAY': ADMIN } },
      },
      token: 'POST /services/oauth2/token',
      revoke: 'POST /services/oauth2/revoke',
      username: 'ada@acme.example',
      start: () => undefined,
    };
  },
  google: async () => {
    const idp = await createGoogleIdp();
    return {
      idp,
      client: idp.client,
      block: {
        id: 'google',
        auth_url: `${idp.origin}/o/oauth2/v2/auth`,
        token_url: `${idp.origin}/token`,
        claim_mappings: { hd: { 'example.com': ADMIN } },
      },
      token: 'POST /token',
      revoke: 'POST /revoke',
      username: 'ada@example.com',
      start: () => undefined,
    };
  },
  keycloak: async () => {
    const idp = await createKeycloakIdp();
    return {
      idp,
      client: idp.client,
      block: {
        id: 'keycloak',
        server_url: idp.serverUrl,
        realm: idp.realm,
        claim_mappings: { 'realm_access.roles': { analyst: ADMIN } },
      },
      token: 'POST /realms/main/protocol/openid-connect/token',
      revoke: 'POST /realms/main/protocol/openid-connect/revoke',
      username: 'ada',
      start: () => idp.start(),
    };
  },
  oidc: async () => {
    const idp = await createKeycloakIdp();
    return {
      idp,
      client: idp.client,
      block: {
        id: 'oidc',
        config_url: `${idp.issuer}/.well-known/openid-configuration`,
        claim_mappings: { groups: { staff: ADMIN } },
      },
      token: 'POST /realms/main/protocol/openid-connect/token',
      revoke: 'POST /realms/main/protocol/openid-connect/revoke',
      username: 'ada',
      start: () => idp.start(),
    };
  },
};

let served: Served;

beforeAll(async () => {
  served = await serveProject();
});
afterAll(() => served.close());

describe.each(PROVIDER_IDS)('%s', (name) => {
  let stand: Stand;
  let server: FlowServer;
  let keeping: FlowServer;

  beforeAll(async () => {
    stand = await STANDS[name]();
    const auth = (callback: string) => {
      stand.client.redirects.push(callback);
      const { id, secret } = stand.client;
      return {
        provider: { ...stand.block, client_id: id, client_secret: secret, callback_path: '/callback' },
      };
    };
    server = await startServer({ served, auth });
    keeping = await startServer({ served, auth, store: createMemoryStore() });
    stand.start();
  });
  afterAll(async () => {
    for (const one of [server, keeping, stand.idp]) await one.close();
  });

  // Requirements: auth.2
  test.each([sdk2(), sdk1(), strict])('$name signs in and calls as that person', async ({ signIn }) => {
    const client = await signIn(server.mcp);
    const { token, ...who } = JSON.parse((await client.call('whoami')).text);
    expect(who).toEqual({ email: 'ada@example.com', username: stand.username, provider: name });
    expect(token).toEqual(expect.any(String));
    expect((await client.call('audit')).text).toContain('1815');
    await client.close();
    const line = server.lines.findLast(({ message }) => message === 'authenticated');
    expect(line?.fields).toMatchObject({
      username: stand.username,
      provider: name,
      email: 'ada@example.com',
    });
    expect(JSON.stringify(server.lines)).not.toContain(token);
    expect(JSON.stringify(server.lines)).not.toMatch(/planted/);
  });

  test('a code works once, though this server remembers nothing', async () => {
    const { tokens, redeem } = await signInStrictly(server.mcp);
    expect(tokens.refresh_token).toBeUndefined();
    await expect(redeem()).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
  });

  test('somebody who says no there is not signed in here', async () => {
    await expect(sdk2().signIn(server.mcp, { atProvider: 'deny' })).rejects.toThrow('access_denied');
  });

  test('a provider that is away is worth another try, a broken set-up is ours', async () => {
    // oauth4webapi takes no error with a status of its own, but says which it was
    stand.idp.fail(stand.token, answers(503));
    await expect(signInStrictly(server.mcp)).rejects.toMatchObject({ cause: { status: 503 } });
    stand.idp.fail(stand.token, answers(401, { error: 'invalid_client' }));
    await expect(signInStrictly(server.mcp)).rejects.toMatchObject({ cause: { status: 503 } });
    const errors = server.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
    expect(errors.join()).toContain('client_secret');
  });

  test('with a store there are refresh tokens, and an end to everything', async () => {
    const { tokens, refresh, revoke } = await signInStrictly(keeping.mcp);
    const fresh = await refresh(tokens.refresh_token ?? '');
    expect((await callWith(keeping.mcp, fresh.access_token, 'audit')).text).toContain('1815');
    const before = stand.idp.requests.length;
    await revoke(fresh.refresh_token ?? '');
    if (stand.revoke !== null) expect(stand.idp.requests.slice(before)).toContain(stand.revoke);
    await expect(refresh(fresh.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await callWith(keeping.mcp, fresh.access_token, 'whoami')).status).toBe(401);
  });
});
