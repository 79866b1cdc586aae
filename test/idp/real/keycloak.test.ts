import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callWith, sdk1, sdk2, signInStrictly } from '../../unit/auth/flow/peers.ts';
import { svc } from '../../unit/cli/svc.ts';
import { type Keycloak, startKeycloak } from './keycloak.ts';
import { CLIENT, MCP_CLIENT, REALM } from './realm.ts';
import { serve, serveVerifier } from './served.ts';

/* Sign-in with the Keycloak that `npm run test:idp` installs. */

const PARTS = process.env.SVC_TEST_IDP;
const SLOW = 240_000;
const TOOLS = ['by_group', 'by_realm_role', 'by_client_role'];
const ALL = 'svc:access report:read sales:read export:run';

describe.skipIf(PARTS === undefined)('a real Keycloak', { timeout: SLOW }, () => {
  let keycloak: Keycloak;
  beforeAll(async () => {
    keycloak = await startKeycloak(PARTS ?? '');
  }, SLOW);
  afterAll(() => keycloak?.stop());

  const statuses = (mcp: URL, token: string) =>
    Promise.all([...TOOLS, 'open'].map(async (tool) => (await callWith(mcp, token, tool)).status));

  // Requirements: provider.keycloak
  it('signs a user in, and SQL knows the user', async () => {
    const { mcp } = await serve(keycloak);
    const { tokens } = await signInStrictly(mcp);
    const { text } = await callWith(mcp, tokens.access_token, 'open');
    expect(text).toContain('ada@example.com');
  });

  // Requirements: rs.challenge
  it.each([
    ['SDK 2', sdk2],
    ['SDK 1', sdk1],
  ] as const)(
    'issues tokens for a server in mode verifier, where %s signs a user in',
    async (_name, peer) => {
      const { mcp } = await serveVerifier(keycloak);
      const client = await peer(MCP_CLIENT).signIn(mcp);
      expect((await client.call('open')).text).toContain('ada@example.com');
      await client.close();
    },
  );

  it('serves a user who holds the scopes by a group, a role of the realm and a role of the client', async () => {
    const { mcp } = await serve(keycloak);
    const { tokens } = await signInStrictly(mcp, {}, ALL);
    expect(tokens.scope).toBe(ALL);
    expect(await statuses(mcp, tokens.access_token)).toEqual([200, 200, 200, 200]);
  });

  it('refuses a user who holds none of them', async () => {
    const { mcp } = await serve(keycloak);
    const { tokens } = await signInStrictly(mcp, { user: 'bob' }, ALL);
    expect(tokens.scope).toBe('svc:access');
    expect(await statuses(mcp, tokens.access_token)).toEqual([403, 403, 403, 200]);
  });

  it('refuses the sign-in of a user whom `allow` does not name', async () => {
    const { mcp } = await serve(keycloak);
    await expect(signInStrictly(mcp, { user: 'eve' })).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('takes a scope away at the next renewal after Keycloak has taken the group or the role', async () => {
    const { mcp } = await serve(keycloak);
    const { tokens, refresh } = await signInStrictly(mcp, {}, ALL);
    const [user, group] = [await keycloak.userId('ada'), '/group-by-path/staff/admins'];
    const { id } = (await keycloak.admin('GET', group)) as { id: string };
    const role = await keycloak.admin('GET', '/roles/analyst');
    const mappings = `/users/${user}/role-mappings/realm`;
    await keycloak.admin('DELETE', `/users/${user}/groups/${id}`);
    await keycloak.admin('DELETE', mappings, [role]);
    try {
      const fresh = await refresh(tokens.refresh_token ?? '');
      expect(fresh.scope).toBe('svc:access export:run');
      for (const { access_token } of [fresh, tokens])
        expect(await statuses(mcp, access_token)).toEqual([403, 403, 200, 200]);
    } finally {
      await keycloak.admin('PUT', `/users/${user}/groups/${id}`);
      await keycloak.admin('POST', mappings, [role]);
    }
  });

  it('ends the session of a disabled user at the next renewal', async () => {
    const { mcp } = await serve(keycloak);
    const { tokens, refresh } = await signInStrictly(mcp, { user: 'bob' });
    const path = `/users/${await keycloak.userId('bob')}`;
    const user = (await keycloak.admin('GET', path)) as object;
    await keycloak.admin('PUT', path, { ...user, enabled: false });
    try {
      await expect(refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
      expect((await callWith(mcp, tokens.access_token, 'open')).status).toBe(401);
    } finally {
      await keycloak.admin('PUT', path, user);
    }
  });

  it('ends the session at the next renewal after an administrator has signed the user out', async () => {
    const { mcp } = await serve(keycloak);
    const { tokens, refresh } = await signInStrictly(mcp);
    // Keycloak refuses the tokens that are older than the sign-out, and counts whole seconds.
    await wait(1_100);
    await keycloak.admin('POST', `/users/${await keycloak.userId('ada')}/logout`);
    await expect(refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await callWith(mcp, tokens.access_token, 'open')).status).toBe(401);
  });

  it('renews the token of Keycloak, which SQL gets', async () => {
    const { mcp } = await serve(keycloak);
    const { tokens, refresh } = await signInStrictly(mcp);
    const externalToken = async (token: string) => {
      const { text } = await callWith(mcp, token, 'open');
      const [row] = [JSON.parse(text)].flat() as { token: string }[];
      return row?.token ?? '';
    };
    const before = await externalToken(tokens.access_token);
    const after = await externalToken((await refresh(tokens.refresh_token ?? '')).access_token);
    expect(after).not.toBe(before);
    const headers = { authorization: `Bearer ${after}` };
    const user = await fetch(`${keycloak.url}/realms/${REALM}/protocol/openid-connect/userinfo`, { headers });
    expect(await user.json()).toMatchObject({ preferred_username: 'ada' });
  });

  it('ends the session in Keycloak when the client revokes its token', async () => {
    const { mcp } = await serve(keycloak);
    const sessions = async () => {
      const [client] = (await keycloak.admin('GET', `/clients?clientId=${CLIENT.id}`)) as { id: string }[];
      const path = `/users/${await keycloak.userId('bob')}/offline-sessions/${client?.id}`;
      return (await keycloak.admin('GET', path)) as unknown[];
    };
    const before = await sessions();
    const { tokens, revoke } = await signInStrictly(mcp, { user: 'bob' });
    expect(await sessions()).toHaveLength(before.length + 1);
    await revoke(tokens.refresh_token ?? '');
    expect(await sessions()).toHaveLength(before.length);
    expect((await callWith(mcp, tokens.access_token, 'open')).status).toBe(401);
  });

  it('sends no date, so svc doctor auth compares no clocks and finds no problem', async () => {
    const found = await fetch(`${keycloak.url}/realms/${REALM}`);
    expect(found.headers.has('date')).toBe(false);
    const { cwd, env, mcp } = await serve(keycloak);
    const { code, stdout } = await svc(['doctor', 'auth', '--json', '--url', mcp.origin], cwd, env);
    const document = JSON.parse(stdout) as {
      status: string;
      checks: { name: string; status: string; message: string }[];
    };
    expect(document.checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect([code, document.status]).toEqual([0, 'ok']);
    const clock = document.checks.find(({ name }) => name === 'clock');
    expect(clock?.message).toContain('was not compared');
  });
});
