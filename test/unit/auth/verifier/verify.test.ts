import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createAuth } from '../../../../src/auth/create.ts';
import type { Auth } from '../../../../src/auth/types.ts';
import type { ProviderPorts } from '../../../../src/auth/upstream/provider.ts';
import { createVerifier } from '../../../../src/auth/verifier/verify.ts';
import { SvcError } from '../../../../src/errors.ts';
import type { LogLine } from '../../../../src/ports.ts';
import type { AuthSettings, TransportSettings, VerifierBlock } from '../../../../src/settings/model.ts';
import { answers, silent } from '../../../idp/faults.ts';
import { createHost, type Host } from '../../../idp/host.ts';
import { createSigner, type Signer } from '../../../idp/signer.ts';
import { failureOf, signal } from '../providers/fixture.ts';

const RESOURCE = 'https://svc.example/mcp';
let server: Host;
let signer: Signer;

beforeAll(async () => {
  [server, signer] = [await createHost(), await createSigner()];
  server.serve((request, response) => {
    const json = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/keys') return json(signer.jwks);
    if (request.url === '/.well-known/oauth-authorization-server/tenant') {
      return json({
        issuer: issuer(),
        jwks_uri: `${server.origin}/keys`,
        introspection_endpoint: introspection(),
      });
    }
    response.writeHead(404).end();
  });
});
afterAll(() => server.close());

const issuer = () => `${server.origin}/tenant`;
const introspection = () => `${server.origin}/introspect`;
const ROUTE = 'POST /introspect';
const now = () => Math.floor(Date.now() / 1000);

type Changes = Readonly<Record<string, unknown>>;

function claims(changes: Changes = {}) {
  const good = {
    iss: issuer(),
    aud: RESOURCE,
    sub: 'ada',
    iat: now(),
    exp: now() + 60,
    scope: 'svc:access a:b',
  };
  return Object.fromEntries(
    Object.entries({ ...good, ...changes }).filter(([, value]) => value !== undefined),
  );
}

const jwt = (changes: Changes = {}, typ = 'at+jwt') => signer.sign(claims(changes), { typ });
const block = (more: Partial<VerifierBlock> = {}): VerifierBlock => ({
  issuer: issuer(),
  audience: [],
  ...more,
});
const asking = () => ({ signal: signal(), admit: async () => {} });
const keys = () => ({ jwks_url: `${server.origin}/keys` });
const client = () => ({
  introspection_url: introspection(),
  client_id: 'rs',
  client_secret: 'planted+secret',
});

function verify(token: string, more: Partial<VerifierBlock> = keys(), ports: Partial<ProviderPorts> = {}) {
  return createVerifier(block(more), { fetch, now: Date.now, ...ports }).verify(token, [RESOURCE], asking());
}

// Requirements: rs.passthrough
test('a token for this resource is somebody, with scopes, and is not passed on', async () => {
  const token = await jwt({
    ...{ email: 'ada@example.com', email_verified: true, preferred_username: 'ada', groups: ['/staff'] },
    ...{ client_id: 'app', tenant: 't' },
  });
  const claim_mappings = { groups: { staff: ['role:staff'] } };
  expect(await verify(token, { ...keys(), claim_mappings, provider_name: 'acme' })).toEqual({
    user: {
      id: 'ada',
      username: 'ada',
      email: 'ada@example.com',
      name: null,
      provider: 'acme',
      role: 'staff',
      permissions: [],
      groups: ['staff'],
      capabilities: [],
      claims: { tenant: 't' },
      externalToken: null,
    },
    identity: expect.objectContaining({ id: 'ada', groups: ['staff'] }),
    scopes: ['svc:access', 'a:b'],
    lastsMs: expect.any(Number),
  });
});

test.each<[string, Changes, string?]>([
  ['several audiences', { aud: ['https://other.example', RESOURCE] }],
  ['scp in place of scope', { scope: undefined, scp: ['svc:access'] }],
  ['the type of older servers', {}, 'JWT'],
  ['the long form of the type', {}, 'application/at+jwt'],
])('a token with %s is good', async (_name, changes, typ) => {
  expect((await verify(await jwt(changes, typ)))?.scopes).toContain('svc:access');
});

// Requirements: rs.invalid
test.each<[string, Changes, string?]>([
  ['for another resource', { aud: 'https://other.example/mcp' }],
  ['for nobody', { aud: undefined }],
  ['of another issuer', { iss: 'https://evil.example' }],
  ['of no issuer', { iss: undefined }],
  ['that is over', { exp: 1 }],
  ['without an end', { exp: undefined }],
  ['that is not yet good', { nbf: 9_999_999_999 }],
  ['about nobody', { sub: undefined }],
  ['of another kind', {}, 'logout+jwt'],
  ['that is an id token of Keycloak', { typ: 'ID' }, 'JWT'],
  ['that is a refresh token of Keycloak', { typ: 'Refresh' }, 'JWT'],
  ['that is an id token of Cognito', { token_use: 'id' }, 'JWT'],
  ['that is an id token by its hash', { at_hash: 'x' }, 'JWT'],
  ['that was over six seconds ago', { exp: now() - 6 }],
])('a token %s is refused', async (_name, changes, typ) => {
  expect(await verify(await jwt(changes, typ))).toBeNull();
});

test('what the issuer did not sign is refused', async () => {
  const other = await createSigner();
  expect(await verify(await other.sign(claims(), { typ: 'at+jwt' }))).toBeNull();
  for (const token of ['opaque', 'a.b.c', `${await jwt()}x`]) expect(await verify(token)).toBeNull();
});

test('an issuer is compared to the letter', async () => {
  expect(await verify(await jwt({ iss: `${issuer()}/` }))).toBeNull();
  expect(await verify(await jwt({ iss: issuer().toUpperCase() }))).toBeNull();
});

/** Serves a discovery document whose issuer is this one. */
const names = (name: string) =>
  server.fail(
    'GET /.well-known/oauth-authorization-server/tenant',
    answers(200, { issuer: name, jwks_uri: `${server.origin}/keys` }),
  );

test('the issuer is the one of the discovery document, which may have a slash at its end', async () => {
  const iss = `${issuer()}/`;
  names(iss);
  const { verify: check } = createVerifier(block(), { fetch, now: Date.now });
  expect(await check(await jwt({ iss }), [RESOURCE], asking())).not.toBeNull();
  expect(await check(await jwt(), [RESOURCE], asking())).toBeNull();
  names('https://evil.example');
  await failureOf(verify(await jwt({ iss: 'https://evil.example' }), {}), 'config_invalid');
});

test('a discovery document of `oidc` is read at the address as it is written, with its query', async () => {
  const config_url = `${issuer()}/.well-known/openid-configuration?appid=1`;
  const asked: string[] = [];
  const send: typeof fetch = async (url, init) => {
    asked.push(String(url));
    if (String(url) !== config_url) return fetch(url, init);
    return Response.json({ issuer: issuer(), jwks_uri: `${server.origin}/keys` });
  };
  expect((await verify(await jwt(), { config_url }, { fetch: send }))?.user.id).toBe('ada');
  expect(asked).toEqual([config_url, `${server.origin}/keys`]);
});

test('no header chooses the keys or the way to sign', async () => {
  const [, payload = '', signature = ''] = (await jwt()).split('.');
  const encode = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url');
  const published = await importJWK({ ...signer.jwks.keys[0] }, 'RS256', { extractable: true });
  const secret = new TextEncoder().encode(await exportSPKI(published as CryptoKey));
  const symmetric = new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'k1', typ: 'at+jwt' });
  const own = await generateKeyPair('RS256', { extractable: true });
  const foreign = (header: object) =>
    new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid: 'k1', typ: 'at+jwt', ...header })
      .sign(own.privateKey);
  const tokens = [
    `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
    `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.${signature}`,
    await symmetric.sign(secret),
    await foreign({}),
    await foreign({ kid: 'k2' }),
    await foreign({ jwk: await exportJWK(own.publicKey) }),
    await foreign({ jku: `${server.origin}/other-keys` }),
    await foreign({ x5u: `${server.origin}/other-keys` }),
  ];
  for (const [index, token] of tokens.entries()) expect([index, await verify(token)]).toEqual([index, null]);
  expect(server.requests).not.toContain('GET /other-keys');
});

test('an audience of the operator’s choice takes the place of the resource', async () => {
  const audience = ['api://svc'];
  expect(await verify(await jwt({ aud: 'api://svc' }), { ...keys(), audience })).not.toBeNull();
  expect(await verify(await jwt(), { ...keys(), audience })).toBeNull();
});

test('the issuer says where its keys are', async () => {
  expect((await verify(await jwt(), {}))?.user.id).toBe('ada');
  server.fail('GET /.well-known/oauth-authorization-server/tenant', answers(404));
  await failureOf(verify(await jwt(), {}), 'config_invalid');
  for (const status of [400, 401, 403]) {
    server.fail('GET /.well-known/oauth-authorization-server/tenant', answers(status));
    await failureOf(verify(await jwt(), {}), 'login_unavailable');
  }
  server.fail('GET /.well-known/oauth-authorization-server/tenant', answers(200, { issuer: issuer() }));
  await failureOf(verify(await jwt(), {}), 'config_invalid');
});

test('keys are asked for once, and when they cannot be had nobody is let in', async () => {
  const { verify: check } = createVerifier(block(keys()), { fetch, now: Date.now });
  const before = server.requests.length;
  server.fail('GET /keys', answers(503));
  await failureOf(check(await jwt(), [RESOURCE], asking()), 'login_unavailable');
  for (let count = 0; count < 3; count += 1)
    expect(await check(await jwt(), [RESOURCE], asking())).not.toBeNull();
  expect(server.requests.slice(before)).toEqual(['GET /keys', 'GET /keys']);
});

test('a caller who leaves during discovery leaves no failure behind', async () => {
  const { verify: check } = createVerifier(block(), { fetch, now: Date.now });
  const left = { ...asking(), signal: AbortSignal.abort() };
  await failureOf(check(await jwt(), [RESOURCE], left), 'cancelled');
  expect(await check(await jwt(), [RESOURCE], asking())).not.toBeNull();
});

test('many tokens of unknown keys make one request that fails', async () => {
  const { verify: check } = createVerifier(block(keys()), { fetch, now: Date.now });
  expect(await check(await jwt(), [RESOURCE], asking())).not.toBeNull();
  const unknown = await (await createSigner('k2')).sign(claims(), { typ: 'at+jwt' });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
  onTestFinished(() => void vi.useRealTimers());
  const before = server.requests.length;
  server.fail('GET /keys', answers(503));
  for (let count = 0; count < 3; count += 1)
    await failureOf(check(unknown, [RESOURCE], asking()), 'login_unavailable');
  expect(await check(await jwt(), [RESOURCE], asking())).not.toBeNull();
  expect(server.requests.slice(before)).toEqual(['GET /keys']);
});

test('D28: opaque tokens are asked about, once a minute, also those that are no good', async () => {
  let time = Date.now();
  const { verify: check } = createVerifier(block({ ...client(), ...keys() }), { fetch, now: () => time });
  const before = server.requests.length;
  const asked = () => server.requests.length - before;
  server.fail(ROUTE, answers(200, { active: true, sub: 'ada', aud: RESOURCE, scope: 'svc:access' }));
  for (let count = 0; count < 3; count += 1) {
    expect((await check('opaque-1', [RESOURCE], asking()))?.scopes).toEqual(['svc:access']);
  }
  server.fail(ROUTE, answers(200, { active: false }));
  for (let count = 0; count < 3; count += 1) expect(await check('opaque-2', [RESOURCE], asking())).toBeNull();
  expect(asked()).toBe(2);
  time += 60_001;
  server.fail(ROUTE, answers(200, { active: false }));
  expect(await check('opaque-1', [RESOURCE], asking())).toBeNull();
  expect(asked()).toBe(3);
});

test('tokens that are no good do not push out the answers about good ones', async () => {
  const [good, bad] = [{ active: true, sub: 'ada', aud: RESOURCE }, { active: false }];
  const asked: string[] = [];
  const answer = async (request: Request) => {
    const token = new URLSearchParams(await request.text()).get('token') ?? '';
    asked.push(token);
    return Response.json(token === 'good' ? good : bad);
  };
  const send = (...call: Parameters<typeof fetch>) => {
    const request = new Request(...call);
    return request.url === introspection() ? answer(request) : fetch(request);
  };
  const { verify: check } = createVerifier(block(client()), { fetch: send, now: Date.now });
  expect(await check('good', [RESOURCE], asking())).not.toBeNull();
  for (let count = 0; count < 1_100; count += 1)
    expect(await check(`bad-${count}`, [RESOURCE], asking())).toBeNull();
  expect(asked).toHaveLength(1_101);
  expect(await check('good', [RESOURCE], asking())).not.toBeNull();
  expect(asked).toHaveLength(1_101);
});

test('an answer is no longer good than its token', async () => {
  let time = Date.now();
  const { verify: check } = createVerifier(block(client()), { fetch, now: () => time });
  server.fail(ROUTE, answers(200, { active: true, sub: 'ada', aud: RESOURCE, exp: now() + 10 }));
  expect(await check('short', [RESOURCE], asking())).not.toBeNull();
  time += 20_000;
  expect(await check('short', [RESOURCE], asking())).toBeNull();
});

test.each(['access', 'access_token'])('an active token whose use is %s is an access token', async (use) => {
  server.fail(ROUTE, answers(200, { active: true, ...claims({ token_use: use }) }));
  expect(await verify('opaque', client())).not.toBeNull();
});

test.each<[string, Changes]>([
  ['for another resource', { aud: 'https://other.example' }],
  ['for nobody', { aud: undefined }],
  ['of another issuer', { iss: 'https://evil.example' }],
  ['about nobody', { sub: undefined }],
  ['that is over', { exp: 1 }],
  ['to refresh others', { token_use: 'refresh_token' }],
])('an active token %s is refused', async (_name, changes) => {
  server.fail(ROUTE, answers(200, { active: true, ...claims(changes) }));
  expect(await verify('opaque', client())).toBeNull();
});

test('what goes wrong with introspection has its class, and is not remembered', async () => {
  const { verify: check } = createVerifier(block(client()), { fetch, now: Date.now, timeoutMs: 5_000 });
  const ask = (body: unknown, status = 200) => {
    server.fail(ROUTE, answers(status, body));
    return check('opaque', [RESOURCE], asking());
  };
  await failureOf(ask({ error: 'invalid_client' }, 401), 'config_invalid');
  await failureOf(ask({}, 500), 'login_unavailable');
  await failureOf(ask({ active: 'true' }), 'login_unavailable');
  await failureOf(ask([]), 'login_unavailable');
  server.fail(ROUTE, silent);
  const { verify: hasty } = createVerifier(block(client()), { fetch, now: Date.now, timeoutMs: 50 });
  await failureOf(hasty('opaque', [RESOURCE], asking()), 'login_unavailable');
  server.heal();
  expect(await ask({ active: true, sub: 'ada', aud: RESOURCE })).not.toBeNull();
});

test('the client proves itself form-encoded, and the token is in the body', async () => {
  let sent: { body: string; authorization: string | null } | null = null;
  const fake: typeof fetch = async (_url, init) => {
    sent = { body: String(init?.body), authorization: new Headers(init?.headers).get('authorization') };
    return Response.json({ active: false });
  };
  await verify('opaque', client(), { fetch: fake });
  expect(sent).toEqual({
    body: 'token=opaque&token_type_hint=access_token',
    authorization: `Basic ${btoa('rs:planted%2Bsecret')}`,
  });
});

/** The guard as the app has it. */
function authOf(
  more: Partial<VerifierBlock> = keys(),
  required: readonly string[] = [],
  place: { readonly http?: object; readonly host?: string } = {},
) {
  const lines: LogLine[] = [];
  const rules = { allow: null, grants: [], required_scopes: required };
  const auth = { ...rules, verifier: block(more), provider: null, keys: [], clients: [] };
  const own = { base_url: 'https://svc.example', trust_proxy: false, scheme: 'http', stateless: true };
  const http = { ...own, allowed_hosts: null, ...place.http };
  const made: Auth = createAuth({
    settings: {
      auth: auth as unknown as AuthSettings,
      transport: { http: http as unknown as TransportSettings['http'] },
    },
    project: 'shop',
    endpointScopes: [],
    store: null,
    fetchDocument: null,
    listens: place.host === undefined ? null : { host: place.host },
    log: (line) => lines.push(line),
  });
  return { auth: made, lines };
}

const call = (auth: Auth, token?: string) =>
  auth.authenticate(
    new Request(RESOURCE, { method: 'POST', headers: token ? { authorization: `Bearer ${token}` } : {} }),
    signal(),
  );

test('the server lets in whom the issuer vouches for, and writes a line without the token', async () => {
  const { auth, lines } = authOf();
  const token = await jwt();
  expect(await call(auth, token)).toMatchObject({
    user: { id: 'ada', provider: 'verifier' },
    sessionId: null,
  });
  expect(lines).toMatchObject([{ level: 'info', message: 'authenticated', fields: { user_id: 'ada' } }]);
  expect(JSON.stringify(lines)).not.toContain(token);
});

/** A token with many groups, as the issuers of large companies make them. */
const longToken = (groups: number) =>
  jwt({
    groups: Array.from({ length: groups }, (_, index) => `/departments/sales/region-${index}/managers`),
  });

test('a token with hundreds of groups counts', async () => {
  const token = await longToken(200);
  expect([token.length > 10_000, token.length < 14_000]).toEqual([true, true]);
  expect(await call(authOf().auth, token)).toMatchObject({ user: { id: 'ada' } });
});

test('a token that is too long is refused, and the log says so at most once a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  const [{ auth, lines }, token] = [authOf(), await longToken(400)];
  for (let count = 0; count < 3; count += 1) {
    expect(await call(auth, token)).toMatchObject({
      error: { code: 'token_invalid', message: 'The token has more than 16384 characters.' },
      challenge: expect.stringContaining('error="invalid_token"'),
    });
  }
  const message = expect.stringContaining(`a token of ${token.length} characters was refused`);
  expect(lines).toEqual([{ level: 'warn', message }]);
  vi.setSystemTime(Date.now() + 60_000);
  await call(auth, token);
  expect(lines).toHaveLength(2);
  expect(JSON.stringify(lines)).not.toContain(token);
});

/** A server behind a proxy that passes on the host of requests. */
const BEHIND_PROXY = { base_url: null, trust_proxy: true };

// Requirements: rs.audience
test.each([
  ['0.0.0.0', {}],
  ['0.0.0.0', { allowed_hosts: ['*'] }],
  ['127.0.0.1', { allowed_hosts: ['*', 'svc.example'] }],
])('does not start at %s with %j, where the host of a request would be the audience', (host, http) => {
  expect(() => authOf(keys(), [], { host, http: { ...BEHIND_PROXY, ...http } })).toThrow(
    expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining('audience') }),
  );
});

test.each([
  ['0.0.0.0', { allowed_hosts: ['svc.example'] }, {}],
  ['0.0.0.0', {}, { audience: [RESOURCE] }],
  ['127.0.0.1', {}, {}],
] as const)('starts at %s with %j and %j, where the address is known', async (host, http, more) => {
  const { auth } = authOf({ ...keys(), ...more }, [], { host, http: { ...BEHIND_PROXY, ...http } });
  expect(await call(auth, await jwt())).toMatchObject({ user: { id: 'ada' } });
});

test('who is not let in learns where tokens come from', async () => {
  const { auth, lines } = authOf(keys(), ['svc:admin']);
  const none = await call(auth);
  expect(none).toMatchObject({ error: { code: 'token_missing' } });
  expect(none).toHaveProperty(
    'challenge',
    expect.stringMatching(/resource_metadata="https:\/\/svc\.example\//),
  );
  expect(await call(auth, 'nonsense')).toMatchObject({ error: { code: 'token_invalid' } });
  expect(await call(auth, await jwt())).toMatchObject({
    error: { code: 'scope_insufficient' },
    challenge: expect.stringContaining('svc:admin'),
  });
  server.fail('GET /keys', answers(503));
  const away = await call(authOf().auth, await jwt());
  expect(away).toMatchObject({ error: { code: 'login_unavailable' } });
  expect(lines).toEqual([]);
});

// Requirements: rs.challenge
test('clients are told to request the required scopes, which the issuer knows, and never one of ours', async () => {
  const address = 'resource_metadata="https://svc.example/.well-known/oauth-protected-resource/mcp"';
  const told = async (auth: Auth) => {
    const metadata = new Request('https://svc.example/.well-known/oauth-protected-resource');
    const answer = { request: metadata, body: async () => '', signal: signal(), count: () => {} };
    const body: { readonly scopes_supported?: unknown } | undefined = await (
      await auth.respond(answer)
    )?.json();
    const challenges = [await call(auth), await call(auth, 'nonsense'), await call(auth, 'svc_key_nonsense')];
    return {
      supported: body?.scopes_supported,
      challenges: challenges.map((one) => 'challenge' in one && one.challenge),
    };
  };
  const refused = (text: string) => `Bearer error="invalid_token", error_description="${text}"`;
  const invalid = refused('The token is invalid or has expired.');
  const removed = refused('The API key is not valid, or was removed.');
  expect(await told(authOf().auth)).toEqual({
    supported: undefined,
    challenges: [`Bearer ${address}`, `${invalid}, ${address}`, `${removed}, ${address}`],
  });
  const scope = 'scope="mcp:use"';
  expect(await told(authOf(keys(), ['mcp:use']).auth)).toEqual({
    supported: ['mcp:use'],
    challenges: [
      `Bearer ${scope}, ${address}`,
      `${invalid}, ${scope}, ${address}`,
      `${removed}, ${scope}, ${address}`,
    ],
  });
});

test('the metadata names the issuer as its own document does, and as configured while there is none', async () => {
  const path = '/.well-known/oauth-protected-resource';
  const read = async (auth: Auth, count: () => void) => {
    const request = new Request(`https://svc.example${path}`);
    const response = await auth.respond({ request, body: async () => '', signal: signal(), count });
    const metadata: { readonly authorization_servers: unknown } | undefined = await response?.json();
    return metadata?.authorization_servers;
  };
  names(`${issuer()}/`);
  const { auth } = authOf({});
  const count = vi.fn();
  for (let time = 0; time < 2; time += 1) expect(await read(auth, count)).toEqual([`${issuer()}/`]);
  expect(count).toHaveBeenCalledTimes(1);
  const refuse = () => {
    throw new SvcError('rate_limited', 'Too many requests.');
  };
  expect(await read(authOf({}).auth, refuse)).toEqual([issuer()]);
});

test('D28: the metadata names the issuer, in both of its places, and nothing else is there', async () => {
  const { auth } = authOf();
  const get = async (path: string, method = 'GET') => {
    const request = new Request(`https://svc.example${path}`, { method });
    return (await auth.respond({ request, body: async () => '', signal: signal(), count: () => {} })) ?? null;
  };
  for (const path of ['', '/mcp', '/mcp/']) {
    const response = await get(`/.well-known/oauth-protected-resource${path}`);
    expect(await response?.json()).toEqual({
      resource: RESOURCE,
      authorization_servers: [issuer()],
      bearer_methods_supported: ['header'],
      resource_name: 'shop',
    });
    expect(response?.headers.get('access-control-allow-origin')).toBe('*');
  }
  expect((await get('/.well-known/oauth-protected-resource', 'OPTIONS'))?.status).toBe(204);
  expect((await get('/.well-known/oauth-protected-resource', 'POST'))?.status).toBe(405);
  const others = [
    '/authorize',
    '/token',
    '/register',
    '/callback',
    '/.well-known/oauth-authorization-server',
  ];
  for (const path of others) expect(await get(path)).toBeNull();
});
