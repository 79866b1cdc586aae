import { Hono } from 'hono';
import { createDesk, type Grant } from './desk.ts';
import { readBearer, readForm } from './form.ts';
import { mountFront, type Registered } from './front.ts';
import { createHost, type Host, listen } from './host.ts';
import { createSigner } from './signer.ts';

export interface SalesforceIdp extends Host {
  readonly client: Registered;
  readonly users: Record<string, Record<string, unknown>>;
  /** The address of the organisation's API. */
  instance: string;
}

/** The answers to the queries for a user's rights; permission sets have one row for each assignment. */
const RIGHTS: readonly (readonly [RegExp, readonly object[]])[] = [
  [/^SELECT Profile\.Name FROM User WHERE Id = '\w{18}'$/, [{ Profile: { Name: 'Sales User' } }]],
  [
    /^SELECT PermissionSet\.Name FROM PermissionSetAssignment WHERE AssigneeId = '\w{18}'$/,
    [{ PermissionSet: { Name: 'Export_Data' } }, { PermissionSet: { Name: 'View_Audit' } }],
  ],
];

const ORGANISATION = '00Dxx0000001gPLEAY';
const PARAMETERS = [
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'code_verifier',
  'grant_type',
  'refresh_token',
];

/**
 * Salesforce's web server flow as help.salesforce.com describes it: no `expires_in`, an identity URL and an instance URL
 * in the token response, user information only with the scope openid, refresh tokens that stay.
 */
export async function createSalesforceIdp(): Promise<SalesforceIdp> {
  const host = await createHost();
  const signer = await createSigner();
  const client: Registered = { id: '3MVG9.svc', secret: 'salesforce-planted-secret', redirects: [] };
  const users: Record<string, Record<string, unknown>> = {
    ada: {
      user_id: '005xx000001X8UzAAK',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      email_verified: true,
    },
  };
  const desk = createDesk();
  const app = new Hono();
  mountFront(app, {
    name: 'salesforce',
    path: '/services/oauth2/authorize',
    client,
    users: Object.keys(users),
    allowed: [
      'scope',
      'state',
      'code_challenge',
      'code_challenge_method',
      'nonce',
      'prompt',
      'login_hint',
      'display',
    ],
    required: ['response_type', 'client_id', 'redirect_uri'],
    check: (query) => (query.get('response_type') === 'code' ? null : 'unsupported_response_type'),
    mismatch: 'page',
    offline: (query) => /(^| )(refresh_token|offline_access)( |$)/.test(query.get('scope') ?? ''),
    desk,
  });
  const identityUrl = ({ user }: Grant) => `${host.origin}/id/${ORGANISATION}/${users[user]?.user_id}`;
  const give = async (grant: Grant) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: host.origin, sub: identityUrl(grant), aud: client.id, iat: now, exp: now + 120 };
    return {
      access_token: desk.token('access', grant, `${ORGANISATION}!`),
      ...(grant.scopes.includes('openid') && {
        id_token: await signer.sign({ ...claims, ...(grant.nonce && { nonce: grant.nonce }) }),
      }),
      signature: 'c2lnbmF0dXJl',
      scope: grant.scopes.join(' '),
      instance_url: idp.instance,
      id: identityUrl(grant),
      token_type: 'Bearer',
      issued_at: String(now * 1000),
    };
  };
  app.post('/services/oauth2/token', async (c) => {
    const fields = await readForm(c, PARAMETERS);
    if (typeof fields === 'string')
      return c.json({ error: 'invalid_request', error_description: fields }, 400);
    const no = (error: string, error_description: string) => c.json({ error, error_description }, 400);
    if (fields.get('client_id') !== client.id) return no('invalid_client_id', 'client identifier invalid');
    if (fields.get('client_secret') !== client.secret)
      return no('invalid_client', 'invalid client credentials');
    if (fields.get('grant_type') === 'refresh_token') {
      const grant = desk.find('refresh', fields.get('refresh_token') ?? '');
      return grant ? c.json(await give(grant)) : no('invalid_grant', 'expired access/refresh token');
    }
    if (fields.get('grant_type') !== 'authorization_code')
      return no('unsupported_grant_type', 'grant type not supported');
    const grant = desk.redeem(fields.get('code') ?? '', {
      redirectUri: fields.get('redirect_uri'),
      verifier: fields.get('code_verifier'),
    });
    if (grant === 'another redirect_uri')
      return no('redirect_uri_mismatch', 'redirect_uri must match configuration');
    if (typeof grant === 'string') return no('invalid_grant', 'expired authorization code');
    const more = grant.offline ? { refresh_token: desk.token('refresh', grant, '5Aep') } : {};
    return c.json({ ...(await give(grant)), ...more });
  });
  app.get('/services/oauth2/userinfo', (c) => {
    const grant = desk.find('access', readBearer(c));
    if (!grant?.scopes.includes('openid')) return c.text('Missing_OAuth_Token', 403);
    const user = { preferred_username: `${grant.user}@acme.example`, nickname: grant.user, active: true };
    return c.json({ sub: identityUrl(grant), organization_id: ORGANISATION, ...user, ...users[grant.user] });
  });
  app.get('/id/:organisation/:user', (c) => {
    const grant = desk.find('access', readBearer(c));
    if (!grant || !c.req.path.endsWith(String(users[grant.user]?.user_id)))
      return c.text('Bad_OAuth_Token', 403);
    const { name, ...user } = users[grant.user] ?? {};
    const fields = {
      id: identityUrl(grant),
      asserted_user: true,
      organization_id: ORGANISATION,
      active: true,
    };
    return c.json({ ...fields, username: `${grant.user}@acme.example`, display_name: name, ...user });
  });
  app.get('/services/data/:version/query', (c) => {
    const grant = desk.find('access', readBearer(c));
    if (!grant?.scopes.includes('api')) return c.json([{ errorCode: 'INVALID_SESSION_ID' }], 401);
    const [, records] = RIGHTS.find(([form]) => form.test(c.req.query('q') ?? '')) ?? [];
    if (records === undefined) return c.json([{ errorCode: 'MALFORMED_QUERY' }], 400);
    return c.json({ totalSize: records.length, done: true, records });
  });
  app.get('/id/keys', (c) => c.json(signer.jwks));
  app.post('/services/oauth2/revoke', async (c) => {
    const fields = await readForm(c, ['token']);
    const known = typeof fields !== 'string' && desk.end(fields.get('token') ?? '');
    return known ? c.body(null, 200) : c.json({ error: 'invalid_token', error_description: 'no' }, 400);
  });
  const idp: SalesforceIdp = { ...host, client, users, instance: 'https://acme.my.salesforce.com' };
  host.serve(listen(app));
  return idp;
}
