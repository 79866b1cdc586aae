import { describe, expect, it } from 'vitest';
import { authorizePath, BASE, call, createDesk, pkce, REDIRECT, register, tokens } from '../fixture.ts';

const hashOf = async (text: string) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex');

describe('/authorize', () => {
  const ask = async (more: Record<string, string | null>, desk = createDesk()) => {
    const { client_id } = await register(desk, {
      redirect_uris: [REDIRECT, 'http://127.0.0.1:5000/cb?x=1', 'cursor://app/cb', 'http://localhost/cb'],
    });
    return desk.fetch(authorizePath(client_id, pkce().challenge, more));
  };

  // Requirements: as.redirect
  it.each([
    `${REDIRECT}/`,
    `${REDIRECT}/more`,
    `${REDIRECT}?x=1`,
    `${REDIRECT}#x`,
    'https://client.example',
    'https://client.example.evil.example/back',
    'https://client.example@evil.example/back',
    'https://evil.example\\@client.example/back',
    'https:\\\\client.example\\back',
    '//client.example/back',
    'https://CLIENT.example/back',
    'HTTPS://client.example/back',
    'https://client.example/BACK',
    'https://client.example/%62ack',
    'https://client.example/x/../back',
    'https://client.example:443/back',
    'http://client.example/back',
    ' https://client.example/back',
    'https://client.example/back\t',
    'http://127.0.0.1:5001/cb',
    'http://127.0.0.1:5000/cb?x=1&y=2',
    'http://127.0.0.1:70000/cb?x=1',
    'http://127.0.0.1:5000@evil.example/cb?x=1',
    'http://127.0.0.2:5000/cb?x=1',
    'https://127.0.0.1:5000/cb?x=1',
    'http://localhost.evil.example/cb',
    'cursor://app/cb',
    'javascript:alert(1)',
  ])('sends nobody to %s', async (redirect_uri) => {
    const response = await ask({ redirect_uri });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(response.headers.get('content-type')).toContain('text/html');
  });

  // Requirements: as.redirect
  it.each(['http://127.0.0.1:61234/cb?x=1', 'http://localhost:9/cb', 'http://localhost/cb'])(
    'lets the port of this machine be any: %s',
    async (redirect_uri) => {
      expect((await ask({ redirect_uri })).status).toBe(200);
    },
  );

  const FAULTS: readonly (readonly [string, Record<string, string | null>, string])[] = [
    ['no PKCE', { code_challenge: null }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE of no method', { code_challenge_method: null }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['another response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['a request object', { request: 'x' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['a resource that only begins alike', { resource: `${BASE}/mcp/more` }, 'invalid_target'],
    ['a resource with a name in it', { resource: 'https://svc.example@evil.example/mcp' }, 'invalid_target'],
    ['a scope that nobody has', { scope: 'no:such' }, 'invalid_scope'],
  ];

  // Requirements: as.pkce
  it.each(FAULTS)('tells a configured client about %s', async (_name, more, error) => {
    const response = await createDesk().fetch(authorizePath('known', pkce().challenge, more));
    const back = new URL(response.headers.get('location') ?? 'about:blank');
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: 'of-the-client', iss: BASE });
  });

  it.each(FAULTS)('tells a program on this computer about %s', async (_name, more, error) => {
    const response = await ask({ redirect_uri: 'http://localhost/cb', ...more });
    const back = new URL(response.headers.get('location') ?? 'about:blank');
    expect([back.host, back.searchParams.get('error')]).toEqual(['localhost', error]);
  });

  // Requirements: as.redirect.open
  it.each(FAULTS)(
    'redirects nobody to a website that anybody registered, but shows a page with a link: %s',
    async (_name, more, error) => {
      const response = await ask(more);
      const { status, headers } = response;
      expect([status, headers.get('location'), headers.get('refresh')]).toEqual([400, null, null]);
      const page = await response.text();
      expect(page).toContain('<strong>client.example</strong>');
      const href = /href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? 'about:blank';
      const back = Object.fromEntries(new URL(href).searchParams);
      expect(back).toMatchObject({ error, state: 'of-the-client', iss: BASE });
    },
  );

  it.each([`${BASE}/mcp`, `${BASE}/mcp/`, 'HTTPS://SVC.example/mcp'])(
    'takes the resource %s',
    async (resource) => {
      expect((await ask({ resource })).status).toBe(200);
    },
  );

  it('refuses what is repeated, and what is too long', async () => {
    const desk = createDesk();
    const path = authorizePath('known', pkce().challenge);
    for (const more of [
      '&client_id=other',
      '&redirect_uri=https%3A%2F%2Fevil.example',
      `&state=${'x'.repeat(1_025)}`,
    ]) {
      expect((await desk.fetch(`${path}${more}`)).status).toBe(400);
    }
  });

  it('ignores parameters that it does not know, also long and repeated ones', async () => {
    const more = `&login_hint=${'x'.repeat(3_000)}&prompt=login&prompt=consent`;
    const response = await createDesk().fetch(`${authorizePath('known', pkce().challenge)}${more}`);
    const location = new URL(response.headers.get('location') ?? 'about:blank');
    expect([response.status, location.origin]).toEqual([303, 'https://idp.example']);
  });

  it.each([
    ['repeated', '&scope=svc%3Aaccess&scope=svc%3Aaccess'],
    ['too long', `&scope=${'x'.repeat(1_025)}`],
  ])('tells a configured client about a known one that is %s', async (_name, more) => {
    const response = await createDesk().fetch(`${authorizePath('known', pkce().challenge)}${more}`);
    const back = new URL(response.headers.get('location') ?? 'about:blank');
    expect([back.origin, back.searchParams.get('error')]).toEqual([
      new URL(REDIRECT).origin,
      'invalid_request',
    ]);
  });

  it('refuses a client that is blocked', async () => {
    const desk = createDesk();
    const { client_id } = await register(desk);
    expect((await desk.fetch(authorizePath(client_id, pkce().challenge))).status).toBe(200);
    const hash = await hashOf(client_id);
    for (const written of [hash, hash.toUpperCase()]) {
      const blocked = createDesk({ auth: { blocked_clients: [written] } });
      expect((await blocked.fetch(authorizePath(client_id, pkce().challenge))).status).toBe(400);
    }
  });

  it('takes no token of a client that is blocked', async () => {
    const desk = createDesk();
    const { access_token, client_id } = await tokens(desk);
    const blocked = createDesk({ idp: desk.idp, auth: { blocked_clients: [await hashOf(client_id)] } });
    expect((await call(blocked, access_token)).status).toBe(401);
  });

  it('does not start with a block that blocks nobody', () => {
    expect(() => createDesk({ auth: { blocked_clients: ['dcr_eyJh'] } })).toThrow(/blocked_clients/);
  });
});
