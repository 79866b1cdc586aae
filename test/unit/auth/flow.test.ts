import { describe, expect, it } from 'vitest';
import {
  authorizePath,
  BASE,
  Browser,
  COOKIES,
  call,
  createDesk,
  grantTo,
  login,
  pkce,
  REDIRECT,
  register,
  tokens,
} from './fixture.ts';
import { createMemoryStore } from './memory-store.ts';

describe('a login', () => {
  // Requirements: as.short, auth.required_scopes, feature.oauth, oauth.callback, oauth.default-scope, oauth.endpoints
  // Requirements: rs.challenge, service.names, user.email, user.id, user.name, user.unnamed
  it('leads from a 401 to a call that knows who makes it', async () => {
    const desk = createDesk();
    const refused = await call(desk, null);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer scope="svc:access", resource_metadata="${BASE}/.well-known/oauth-protected-resource/mcp"`,
    );
    const { access_token, scope, expires_in, status } = await tokens(desk, {
      resource: `${BASE}/mcp?tags=sales&schema_profile=gemini`,
    });
    expect({ status, scope, expires_in }).toEqual({ status: 200, scope: 'svc:access', expires_in: 3600 });
    const answered = await call(desk, access_token);
    expect(answered.status).toBe(200);
    expect(desk.users).toEqual([
      {
        id: '1815',
        username: 'ada',
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        provider: 'github',
        role: null,
        permissions: [],
        groups: [],
        capabilities: [],
        claims: expect.anything(),
        externalToken: expect.stringMatching(/^ghu_/),
      },
    ]);
  });

  // Requirements: auth.4
  it('is one line of the log for each request, without a secret', async () => {
    const desk = createDesk();
    const { access_token } = await tokens(desk);
    await call(desk, access_token);
    await call(desk, access_token, '', 'tools/list');
    await call(desk, null);
    const line = {
      level: 'info',
      message: 'authenticated',
      fields: {
        username: 'ada',
        user_id: '1815',
        provider: 'github',
        name: 'Ada Lovelace',
        email: 'ada@example.com',
      },
    };
    expect(desk.lines.filter(({ message }) => message === 'authenticated')).toEqual([line, line]);
    expect(JSON.stringify(desk.lines)).not.toMatch(/ghu_|eyJ|planted/);
  });

  // Requirements: auth.4
  it('is logged also without a name', async () => {
    const desk = createDesk();
    Object.assign(desk.idp.user, { name: null });
    await call(desk, (await tokens(desk)).access_token);
    const [line] = desk.lines.filter(({ message }) => message === 'authenticated');
    expect(line?.fields).toEqual({
      username: 'ada',
      user_id: '1815',
      provider: 'github',
      name: null,
      email: 'ada@example.com',
    });
  });

  // Requirements: as.iss
  it('gives the code, the state and the issuer to the client, and leaves no cookie of the trip', async () => {
    const desk = createDesk();
    const { back, browser } = await login(desk);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.any(String),
      state: 'of-the-client',
      iss: BASE,
    });
    expect([...browser.cookies.keys()].sort()).toEqual([
      expect.stringMatching(new RegExp(`^${COOKIES}-browser-[\\w-]{11}$`)),
      expect.stringMatching(new RegExp(`^${COOKIES}-consent-[\\w-]{11}$`)),
    ]);
  });

  it('is the same on any instance that has the keys: each step on another one', async () => {
    const first = createDesk();
    const instances = [first, createDesk({ idp: first.idp }), createDesk({ idp: first.idp })];
    const [one, two, three] = instances as [typeof first, typeof first, typeof first];
    const { client_id } = await register(one);
    const { verifier, challenge } = pkce();
    const browser = new Browser(one);
    const page = await browser.go(authorizePath(client_id, challenge));
    Object.assign(browser, { desk: two });
    const away = await browser.answer(await page.text(), 'allow');
    Object.assign(browser, { desk: three });
    const back = await browser.finish(away);
    const code = back.searchParams.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', client_id, code, redirect_uri: REDIRECT };
    const response = await one.form('/token', { ...fields, code_verifier: verifier });
    const { access_token }: { access_token: string } = await response.json();
    for (const desk of instances) expect((await call(desk, access_token)).status).toBe(200);
  });

  // Requirements: as.consent
  it('is asked for once: the same browser, client and redirect pass without the page', async () => {
    const desk = createDesk();
    const { browser, client_id } = await login(desk);
    const again = await browser.go(authorizePath(client_id, pkce().challenge));
    expect([again.status, new URL(again.headers.get('location') ?? '').origin]).toEqual([
      303,
      desk.idp.origin,
    ]);
    const wider = await browser.go(authorizePath(client_id, pkce().challenge, { scope: 'sales:read' }));
    expect(wider.status).toBe(200);
  });

  // Requirements: auth.clients
  it('needs no consent for a client that the operator vouches for', async () => {
    const desk = createDesk();
    const response = await desk.fetch(authorizePath('known', pkce().challenge));
    expect(response.status).toBe(303);
  });

  // Requirements: as.iss, as.redirect.open
  it('ends with access_denied when the person does not agree, behind a link to a website', async () => {
    const desk = createDesk();
    const { client_id } = await register(desk);
    const browser = new Browser(desk);
    const page = await browser.go(authorizePath(client_id, pkce().challenge));
    const response = await browser.answer(await page.text(), 'deny');
    const { status, headers } = response;
    expect([status, headers.get('location'), headers.get('refresh')]).toEqual([403, null, null]);
    const text = await response.text();
    expect(text).toContain('You did not allow the program to use this server.');
    expect(text).toContain('<strong>client.example</strong>');
    const back = new URL(/href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? 'about:blank');
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'of-the-client',
      iss: BASE,
    });
  });

  it.each([
    ['access_denied', 'access_denied'],
    ['temporarily_unavailable', 'temporarily_unavailable'],
    ['something "odd"', 'access_denied'],
  ])('passes on that the provider said %s', async (error, expected) => {
    const desk = createDesk();
    desk.idp.error = error;
    const { back } = await login(desk);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: expected,
      state: 'of-the-client',
      iss: BASE,
    });
  });
});

// Requirements: auth.3
it.each([
  'initialize',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
])('%s needs a valid token', async (method) => {
  const desk = createDesk();
  for (const token of [null, 'planted', 'svc_planted']) {
    const answer = await call(desk, token, 'nothing', method);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('resource_metadata='),
    ]);
    expect(await answer.text()).not.toContain('"result"');
  }
  expect(desk.users).toEqual([]);
});

describe('the token endpoint', () => {
  // Requirements: as.short, condition.expired, oauth.endpoints
  it('ends an access token with that of the provider', async () => {
    const desk = createDesk();
    desk.idp.expiresIn = 300;
    const { access_token, expires_in, refresh_token } = await tokens(desk);
    expect([expires_in, refresh_token]).toEqual([300, undefined]);
    desk.clock.ms += 299_000;
    expect((await call(desk, access_token)).status).toBe(200);
    desk.clock.ms += 1_000;
    expect((await call(desk, access_token)).status).toBe(401);
  });

  // Requirements: client.client_secret, client.scopes
  it('gives confidential clients of the operator tokens of their own', async () => {
    const desk = createDesk();
    const form = { grant_type: 'client_credentials', client_id: 'known', client_secret: 'known-secret' };
    const response = await desk.form('/token', form);
    const { access_token, scope }: Record<string, string> = await response.json();
    expect(scope).toBe('svc:access sales:read');
    expect((await call(desk, access_token ?? '', 'sales')).status).toBe(200);
    expect(desk.users[0]).toMatchObject({ id: 'client:known', provider: null, externalToken: null });
  });

  // Requirements: error.calls
  it.each([
    ['gone', 503, 'temporarily_unavailable', () => new Response(null, { status: 502 })],
    ['a no', 400, 'invalid_grant', () => Response.json({ error: 'bad_verification_code' })],
    [
      'a wrong secret of ours',
      503,
      'server_error',
      () => Response.json({ error: 'incorrect_client_credentials' }),
    ],
    ['noise', 503, 'temporarily_unavailable', () => new Response('<html>')],
  ])('says what a client can do when the provider is %s', async (_name, status, error, broken) => {
    const desk = createDesk();
    const { fields } = await login(desk);
    desk.idp.broken = broken;
    const response = await desk.form('/token', fields);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
  });
});

describe('/register', () => {
  // Requirements: as.dcr, oauth.register.errors, oauth.register.request, oauth.register.response
  it('D25: takes the request of the specification', async () => {
    const desk = createDesk();
    const request = {
      client_name: 'Demo',
      redirect_uris: ['http://localhost:3000/callback', 'cursor://anysphere/callback'],
      grant_types: ['authorization_code'],
      scope: 'svc:access',
    };
    const response = await desk.fetch('/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      ...request,
      client_id: expect.stringMatching(/^dcr_/),
      client_id_issued_at: desk.clock.ms / 1000,
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      client_secret_expires_at: 0,
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
    });
  });

  // Requirements: oauth.register.response
  it('gives no secret to a client that asks for none', async () => {
    const answer = await register(createDesk(), { token_endpoint_auth_method: 'none' });
    expect(answer).toMatchObject({ client_id: expect.any(String), token_endpoint_auth_method: 'none' });
    expect(Object.keys(answer).filter((name) => name.startsWith('client_secret'))).toEqual([]);
  });

  // Requirements: oauth.register.errors, oauth.register.request
  it.each([null, 'text/plain', 'application/x-www-form-urlencoded'])(
    'takes JSON only, not %s',
    async (type) => {
      const desk = createDesk();
      const send = (headers: Record<string, string>) =>
        desk.fetch('/register', { method: 'POST', headers, body: `{"redirect_uris":["${REDIRECT}"]}` });
      const refused = await send(type === null ? {} : { 'content-type': type });
      expect([refused.status, await refused.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'invalid_client_metadata' }),
      ]);
      expect((await send({ 'content-type': 'application/json; charset=utf-8' })).status).toBe(201);
    },
  );

  it('gives a secret that counts by Basic and in the body, and no other does', async () => {
    const desk = createDesk();
    const { client_id, client_secret } = await register(desk, { token_endpoint_auth_method: undefined });
    const basic = (secret: string) => ({ authorization: `Basic ${btoa(`${client_id}:${secret}`)}` });
    const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: REDIRECT, code_verifier: 'x' };
    const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error;
    const own = client_secret ?? '';
    expect(await errorOf(await desk.form('/token', form, basic(own)))).toBe('invalid_grant');
    expect(await errorOf(await desk.form('/token', { ...form, client_id, client_secret: own }))).toBe(
      'invalid_grant',
    );
    const wrong = await desk.form('/token', form, basic('wrong'));
    expect([wrong.status, wrong.headers.get('www-authenticate'), await errorOf(wrong)]).toEqual([
      401,
      'Basic realm="svc"',
      'invalid_client',
    ]);
    expect(await errorOf(await desk.form('/token', { ...form, client_id }))).toBe('invalid_client');
  });

  it.each([
    ['without a colon', btoa('no-colon'), 'holds no client id and secret'],
    ['without an id', btoa(':secret'), 'holds no client id and secret'],
    ['with a broken escape', btoa('a%:secret'), 'cannot be read'],
  ])('says what is wrong with credentials %s', async (_name, credentials, description) => {
    const answer = await createDesk().form('/token', {}, { authorization: `Basic ${credentials}` });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
      error: 'invalid_client',
      error_description: expect.stringContaining(description),
    });
  });

  // Requirements: as.dcr, error.calls, oauth.register.errors, oauth.register.request
  it.each([
    ['no JSON', '{', 'invalid_client_metadata'],
    ['a list', '[]', 'invalid_client_metadata'],
    ['null', 'null', 'invalid_client_metadata'],
    [
      'a name that is none',
      '{"client_name":1,"redirect_uris":["https://a.example/"]}',
      'invalid_client_metadata',
    ],
    ['no redirect', '{}', 'invalid_redirect_uri'],
    [
      'an implicit grant',
      `{"redirect_uris":["${REDIRECT}"],"grant_types":["implicit"]}`,
      'invalid_client_metadata',
    ],
    [
      'a method that is not offered',
      `{"redirect_uris":["${REDIRECT}"],"token_endpoint_auth_method":"tls_client_auth"}`,
      'invalid_client_metadata',
    ],
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      'https://u:p@a.example/',
      'https://a.example/#x',
      'http://a.example/',
      '/relative',
      'https://a.example\\@b.example/',
      'cursor://only',
    ].map((uri) => [uri, JSON.stringify({ redirect_uris: [uri] }), 'invalid_redirect_uri']),
  ])('D25: refuses %s', async (_name, body, error) => {
    const desk = createDesk();
    const response = await desk.fetch('/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error });
  });
});

describe('scopes', () => {
  const grant = async (auth: object, scope: string | null) => {
    const desk = createDesk({ auth });
    return { desk, ...(await tokens(desk, { scope })) };
  };

  // Requirements: auth.required_scopes, limit.scopes, oauth.default-scope, rs.scope
  it('are all needed: a token that holds them gets in, one that lacks one gets 403 with all of them', async () => {
    const grants = grantTo({ emails: ['ada@example.com'] }, 'team:a', 'team:b');
    const auth = { required_scopes: ['team:a', 'team:b'], grants };
    const { desk, access_token, scope } = await grant(auth, null);
    expect(scope).toBe('team:a team:b');
    expect((await call(desk, access_token)).status).toBe(200);
    const { access_token: half } = await tokens(desk, { scope: 'team:a' });
    const refused = await call(desk, half);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", error_description="The token must hold all of: team:a team:b.", scope="team:a team:b", resource_metadata="${BASE}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  // Requirements: auth.required_scopes, limit.scopes
  it('are all needed: a user who holds one of two is not signed in', async () => {
    const grants = grantTo({ emails: ['ada@example.com'] }, 'team:a');
    const desk = createDesk({ auth: { required_scopes: ['team:a', 'team:b'], grants } });
    const { status, ...refused } = await tokens(desk);
    expect([status, refused]).toMatchObject([400, { error: 'access_denied' }]);
    expect(refused.access_token).toBeUndefined();
  });

  // Requirements: rs.scope
  it('of endpoints hide them from lists and refuse calls, naming all at once', async () => {
    const grants = grantTo({ emails: ['ada@example.com'] }, 'sales:read', 'audit:read');
    const { desk, access_token } = await grant({ grants }, null);
    const namesOf = async (token: string) => {
      const { result } = (await (await call(desk, token, '', 'tools/list')).json()) as {
        result: { tools: { name: string }[] };
      };
      return result.tools.map(({ name }) => name);
    };
    expect(await namesOf(access_token)).toEqual(['nothing']);
    const refused = await call(desk, access_token, 'audit');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toContain('scope="audit:read sales:read svc:access"');
    const { access_token: more } = await tokens(desk, { scope: 'svc:access sales:read audit:read' });
    expect(await namesOf(more)).toEqual(['audit', 'nothing', 'sales']);
    expect((await call(desk, more, 'audit')).status).toBe(200);
    expect(desk.users).toHaveLength(2);
  });

  it('that nobody knows are left out, and nothing but such is invalid_scope', async () => {
    const { scope } = await grant({}, 'svc:access openid offline_access');
    expect(scope).toBe('svc:access');
    const response = await createDesk().fetch(authorizePath('known', pkce().challenge, { scope: 'admin' }));
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_scope');
  });
});

describe('metadata', () => {
  // Requirements: rs.metadata, rs.offline
  it('D27: of the resource is the same in both forms, and names this server with its own address', async () => {
    const desk = createDesk();
    const paths = ['', '/mcp', '/mcp/'].map((end) => `/.well-known/oauth-protected-resource${end}`);
    const bodies = await Promise.all(paths.map(async (path) => (await desk.fetch(path)).json()));
    for (const body of bodies) {
      expect(body).toEqual({
        resource: `${BASE}/mcp`,
        authorization_servers: [BASE],
        scopes_supported: ['svc:access'],
        bearer_methods_supported: ['header'],
        resource_name: 'demo',
      });
    }
  });

  it('and tokens are asked for by one method: any other is the fault of the client', async () => {
    const response = await createDesk().fetch('/token');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('have no method %s', async (method) => {
    const desk = createDesk();
    for (const path of ['/token', '/authorize', '/.well-known/oauth-authorization-server']) {
      expect((await desk.fetch(path, { method })).status, path).toBe(405);
    }
    expect(desk.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  // Requirements: as.metadata
  it('of the server lists what is there: refresh only with a store', async () => {
    const path = '/.well-known/oauth-authorization-server';
    const response = await createDesk().fetch(path);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const body = await response.json();
    expect(body).toMatchObject({
      issuer: BASE,
      token_endpoint: `${BASE}/token`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
      grant_types_supported: ['authorization_code', 'client_credentials'],
    });
    const stored = createDesk({ parts: { store: createMemoryStore() } });
    expect(await (await stored.fetch(path)).json()).toMatchObject({
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes_supported: expect.arrayContaining(['offline_access']),
    });
  });
});
