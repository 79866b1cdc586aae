import { Hono } from 'hono';
import { createDesk, type Grant } from './desk.ts';
import { readBearer, readForm } from './form.ts';
import { mountFront, type Registered } from './front.ts';
import { createHost, type Host, listen } from './host.ts';
import { createSigner } from './signer.ts';

export interface GoogleIdp extends Host {
  readonly client: Registered;
  readonly users: Record<string, Record<string, unknown>>;
}

const LONG: Readonly<Record<string, string>> = {
  email: 'https://www.googleapis.com/auth/userinfo.email',
  profile: 'https://www.googleapis.com/auth/userinfo.profile',
};
const DOCUMENTED = [
  ...['access_type', 'state', 'include_granted_scopes', 'login_hint', 'prompt', 'nonce', 'hd', 'display'],
  ...['code_challenge', 'code_challenge_method', 'enable_granular_consent'],
];

/**
 * Google as developers.google.com describes it for web servers: a refresh token only with access_type=offline and a
 * consent, scopes that people may untick, long scope names in the answer, `hd` for Workspace accounts.
 */
export async function createGoogleIdp(): Promise<GoogleIdp> {
  const host = await createHost();
  const signer = await createSigner();
  const client: Registered = {
    id: 'svc.apps.googleusercontent.com',
    secret: 'google-planted-secret',
    redirects: [],
  };
  const users: Record<string, Record<string, unknown>> = {
    ada: {
      sub: '1081815',
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
      hd: 'example.com',
    },
    bob: { sub: '2', email: 'bob@gmail.com', email_verified: true, name: 'Bob' },
  };
  const known = new Set<string>();
  const desk = createDesk();
  const app = new Hono();
  mountFront(app, {
    name: 'google',
    path: '/o/oauth2/v2/auth',
    client,
    users: Object.keys(users),
    allowed: DOCUMENTED,
    required: ['client_id', 'redirect_uri', 'response_type', 'scope'],
    check: (query) => (query.get('response_type') === 'code' ? null : 'unsupported_response_type'),
    mismatch: 'page',
    offline: (query) => {
      const fresh = query.get('prompt')?.split(' ').includes('consent') || !known.has('consent');
      known.add('consent');
      return fresh && query.get('access_type') === 'offline';
    },
    desk,
  });
  const give = async (grant: Grant, nonce: string | null) => {
    const now = Math.floor(Date.now() / 1000);
    const who = claimsOf(users[grant.user] ?? {}, grant);
    const times = { iat: now, exp: now + 3599, ...(nonce && { nonce }) };
    return {
      access_token: desk.token('access', grant, 'ya29.'),
      expires_in: 3599,
      scope: grant.scopes.map((scope) => LONG[scope] ?? scope).join(' '),
      token_type: 'Bearer',
      ...(grant.scopes.includes('openid') && {
        id_token: await signer.sign({ iss: host.origin, azp: client.id, aud: client.id, ...who, ...times }),
      }),
    };
  };
  app.post('/token', async (c) => {
    const fields = await readForm(c, [
      ...[
        'client_id',
        'client_secret',
        'code',
        'redirect_uri',
        'code_verifier',
        'grant_type',
        'refresh_token',
      ],
    ]);
    if (typeof fields === 'string')
      return c.json({ error: 'invalid_request', error_description: fields }, 400);
    if (fields.get('client_id') !== client.id || fields.get('client_secret') !== client.secret) {
      return c.json({ error: 'invalid_client', error_description: 'Unauthorized' }, 401);
    }
    const no = (error: string) => c.json({ error, error_description: 'Bad Request' }, 400);
    if (fields.get('grant_type') === 'refresh_token') {
      const grant = desk.find('refresh', fields.get('refresh_token') ?? '');
      return grant ? c.json(await give(grant, null)) : no('invalid_grant');
    }
    if (fields.get('grant_type') !== 'authorization_code') return no('unsupported_grant_type');
    const grant = desk.redeem(fields.get('code') ?? '', {
      redirectUri: fields.get('redirect_uri'),
      verifier: fields.get('code_verifier'),
    });
    if (grant === 'another redirect_uri') return no('redirect_uri_mismatch');
    if (typeof grant === 'string') return no('invalid_grant');
    const more = grant.offline ? { refresh_token: desk.token('refresh', grant, '1//') } : {};
    return c.json({ ...(await give(grant, grant.nonce)), ...more });
  });
  app.get('/oauth2/v3/certs', (c) => c.json(signer.jwks));
  app.get('/v1/userinfo', (c) => {
    const grant = desk.find('access', readBearer(c));
    if (!grant) return c.json({ error: 'invalid_request', error_description: 'Invalid Credentials' }, 401);
    return c.json(claimsOf(users[grant.user] ?? {}, grant));
  });
  app.post('/revoke', async (c) => {
    const fields = await readForm(c, ['token']);
    const ended = typeof fields !== 'string' && desk.end(fields.get('token') ?? '');
    return ended
      ? c.json({})
      : c.json({ error: 'invalid_token', error_description: 'Token expired or revoked' }, 400);
  });
  host.serve(listen(app));
  return { ...host, client, users };
}

/** Claims come with their scopes. */
function claimsOf({ sub, hd, email, email_verified, name }: Record<string, unknown>, { scopes }: Grant) {
  return {
    sub: String(sub),
    ...(hd !== undefined && { hd }),
    ...(scopes.includes('email') && { email, email_verified }),
    ...(scopes.includes('profile') && { name, picture: 'https://x.example/p.png' }),
  };
}
