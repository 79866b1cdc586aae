import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuthSettings, Members, ProviderBlock } from '../../../../src/settings/model.ts';
import type { Registered } from '../../../idp/front.ts';
import { createGithubIdp } from '../../../idp/github.ts';
import { createGoogleIdp } from '../../../idp/google.ts';
import type { Host } from '../../../idp/host.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../../idp/keycloak.ts';
import type { Served } from '../../call/project.ts';
import { grantTo, membersOf } from '../fixture.ts';
import { createMemoryStore } from '../memory-store.ts';
import { callWith, signInStrictly } from './peers.ts';
import { REDIRECT } from './people.ts';
import { type FlowServer, serveProject, startServer } from './server.ts';

interface Stand {
  readonly idp: Host;
  readonly client: Registered;
  readonly block: Partial<ProviderBlock> & Pick<ProviderBlock, 'id'>;
  /** A rule that ada matches, until she leaves. */
  readonly rule: Members;
  leave(): void;
  join(): void;
  start(): void;
}

/** The shapes of providers: organisations by API, a domain in the id token, roles in the access token. */
const STANDS: Readonly<Record<string, () => Promise<Stand>>> = {
  GitHub: async () => {
    const idp = await createGithubIdp({ app: true });
    const { ada } = idp.users;
    const base = `${idp.origin}/login/oauth`;
    return {
      idp,
      client: idp.client,
      block: { id: 'github', auth_url: `${base}/authorize`, token_url: `${base}/access_token` },
      rule: membersOf({ groups: ['acme/admins'] }),
      leave: () => ada && Object.assign(idp.users, { ada: { ...ada, teams: [] } }),
      join: () => Object.assign(idp.users, { ada }),
      start: () => undefined,
    };
  },
  Google: async () => {
    const idp = await createGoogleIdp();
    const { ada } = idp.users;
    return {
      idp,
      client: idp.client,
      block: {
        id: 'google',
        auth_url: `${idp.origin}/o/oauth2/v2/auth`,
        token_url: `${idp.origin}/token`,
      },
      rule: membersOf({ domains: ['example.com'] }),
      // the address stays the same
      leave: () => Object.assign(idp.users, { ada: { ...ada, hd: undefined } }),
      join: () => Object.assign(idp.users, { ada }),
      start: () => undefined,
    };
  },
  Keycloak: async () => {
    const idp = await createKeycloakIdp();
    return {
      idp,
      client: idp.client,
      block: { id: 'keycloak', server_url: idp.serverUrl, realm: idp.realm },
      rule: membersOf({ claims: { realm_roles: ['analyst'] } }),
      leave: () => Object.assign(idp.roles, { ada: [] }),
      join: () => Object.assign(idp.roles, { ada: ['analyst'] }),
      start: () => idp.start(),
    };
  },
};

let served: Served;
beforeAll(async () => {
  served = await serveProject();
});
afterAll(() => served.close());

const statusOf = async (server: FlowServer, token: string, tool = 'restricted') =>
  (await callWith(server.mcp, token, tool)).status;

describe.each(Object.keys(STANDS))('%s', (name) => {
  let stand: Stand;
  let servers: { [rules: string]: FlowServer };

  /** Servers with rules, with a store and without; the provider must know all of them before it starts. */
  const start = async (auth: Partial<AuthSettings>, stored: boolean) =>
    startServer({
      served,
      ...(stored ? { store: createMemoryStore() } : {}),
      auth: (callback) => {
        stand.client.redirects.push(callback);
        const { id: client_id, secret: client_secret } = stand.client;
        const provider = { ...stand.block, client_id, client_secret, callback_path: '/callback' };
        return { provider, ...auth };
      },
    });

  beforeAll(async () => {
    stand = await (STANDS[name] as () => Promise<Stand>)();
    const grants = [{ scope: 'admin:write', to: stand.rule }];
    const rules = {
      required: { required_scopes: ['staff:only', 'corp:admin'] },
      open: {},
      granted: { grants },
      allowed: { allow: stand.rule, grants, required_scopes: ['admin:write'] },
    };
    const all = Object.entries(rules).flatMap(([key, auth]) =>
      [false, true].map(async (stored) => [`${key} ${stored}`, await start(auth, stored)] as const),
    );
    servers = Object.fromEntries(await Promise.all(all));
    stand.start();
  });
  afterAll(async () => {
    for (const one of [...Object.values(servers), stand.idp]) await one.close();
  });

  describe.each([
    ['without a store', false],
    ['with a store', true],
  ])('%s', (_store, stored) => {
    const server = (rules: string) => servers[`${rules} ${stored}`] as FlowServer;

    // Requirements: auth.required_scopes
    test('required scopes that a user does not hold refuse the sign-in', async () => {
      for (const scope of [undefined, 'svc:access', 'staff:only corp:admin']) {
        const signIn = signInStrictly(server('required').mcp, {}, scope);
        await expect(signIn).rejects.toMatchObject({ error: 'access_denied' });
      }
      const lines = server('required').lines.map(({ message }) => message);
      expect(lines).toContain(
        'sign-in refused: ada@example.com signed in, and may not use this server: every user must hold staff:only corp:admin.',
      );
    });

    // Requirements: own.grants
    test('a scope is not held because a client asks for it', async () => {
      const { tokens } = await signInStrictly(server('open').mcp, {}, 'svc:access admin:write');
      expect(tokens.scope).toBe('svc:access');
      expect(await statusOf(server('open'), tokens.access_token)).toBe(403);
      expect(await statusOf(server('open'), tokens.access_token, 'whoami')).toBe(200);
      const alone = signInStrictly(server('open').mcp, {}, 'admin:write');
      await expect(alone).rejects.toMatchObject({ error: 'invalid_scope' });
    });

    // Requirements: own.grants
    test('a user who holds the scope is served, if the client asks for it', async () => {
      for (const rules of ['granted', 'allowed']) {
        const { tokens } = await signInStrictly(server(rules).mcp, {}, 'svc:access admin:write');
        expect(tokens.scope).toBe('svc:access admin:write');
        expect(await statusOf(server(rules), tokens.access_token)).toBe(200);
      }
      const { tokens } = await signInStrictly(server('granted').mcp);
      expect(await statusOf(server('granted'), tokens.access_token)).toBe(403);
    });

    // Requirements: own.allow
    test('a user who has left signs in without the scope, or not at all', async () => {
      stand.leave();
      try {
        const { tokens } = await signInStrictly(server('granted').mcp, {}, 'svc:access admin:write');
        expect(tokens.scope).toBe('svc:access');
        await expect(signInStrictly(server('allowed').mcp)).rejects.toMatchObject({ error: 'access_denied' });
      } finally {
        stand.join();
      }
    });
  });

  // Requirements: own.renewal
  test('a user who leaves loses the scope at the next renewal, also with the older token', async () => {
    const server = servers['granted true'] as FlowServer;
    const { tokens, refresh } = await signInStrictly(server.mcp, {}, 'svc:access admin:write');
    expect(await statusOf(server, tokens.access_token)).toBe(200);
    stand.leave();
    try {
      const fresh = await refresh(tokens.refresh_token ?? '');
      expect(fresh.scope).toBe('svc:access');
      for (const { access_token } of [fresh, tokens]) expect(await statusOf(server, access_token)).toBe(403);
      expect(await statusOf(server, fresh.access_token, 'whoami')).toBe(200);
    } finally {
      stand.join();
    }
  });

  test('the session of a user who may not use the server any more ends at the next renewal', async () => {
    const server = servers['allowed true'] as FlowServer;
    const { tokens, refresh } = await signInStrictly(server.mcp);
    stand.leave();
    try {
      await expect(refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
      expect(await statusOf(server, tokens.access_token, 'whoami')).toBe(401);
    } finally {
      stand.join();
    }
  });
});

describe('a verifier', () => {
  let idp: KeycloakIdp;
  const servers: { [rules: string]: FlowServer } = {};

  beforeAll(async () => {
    idp = await createKeycloakIdp();
    idp.client.redirects.push(REDIRECT);
    idp.start();
    const rule = membersOf({ claims: { 'realm_access.roles': ['analyst'] } });
    const rules: Record<string, Partial<AuthSettings>> = {
      required: { required_scopes: ['staff:only'] },
      open: {},
      granted: { grants: [{ scope: 'admin:write', to: rule }] },
      allowed: { allow: rule },
      issuer: { grants: grantTo({ claims: { scope: ['admin:write'] } }, 'admin:write') },
    };
    const verifier = { issuer: idp.issuer, audience: [], provider_name: 'acme' };
    for (const [key, auth] of Object.entries(rules)) {
      const settings = { mode: 'verifier' as const, verifier, keys: [], ...auth };
      servers[key] = await startServer({ served, auth: () => settings });
    }
  });
  afterAll(async () => {
    for (const one of [...Object.values(servers), idp]) await one.close();
  });

  const call = async (
    rules: string,
    { tool = 'restricted', scope = 'admin:write', roles = ['analyst'] } = {},
  ) => {
    const server = servers[rules] as FlowServer;
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: idp.issuer, sub: 'ada', aud: server.mcp.href, iat: now, exp: now + 60, scope };
    const token = await idp.signer.sign({ ...claims, realm_access: { roles } }, { typ: 'at+jwt' });
    return statusOf(server, token, tool);
  };

  test('counts a scope of a token only for a user who holds it here', async () => {
    expect(await call('required', { tool: 'whoami', scope: 'staff:only' })).toBe(403);
    expect(await call('open')).toBe(403);
    expect(await call('open', { tool: 'whoami' })).toBe(200);
    expect(await call('granted')).toBe(200);
    expect(await call('granted', { roles: [] })).toBe(403);
    expect(await call('granted', { scope: 'svc:access' })).toBe(403);
  });

  test('lets in only the people whom `allow` names', async () => {
    expect(await call('allowed', { tool: 'whoami' })).toBe(200);
    expect(await call('allowed', { tool: 'whoami', roles: [] })).toBe(403);
  });

  test('takes the issuer’s word where a grant names the claim `scope`', async () => {
    expect(await call('issuer', { roles: [] })).toBe(200);
    expect(await call('issuer', { roles: [], scope: 'svc:access' })).toBe(403);
  });
});
