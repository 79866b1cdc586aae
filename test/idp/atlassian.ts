import { Hono } from 'hono';
import { createDesk, type Grant } from './desk.ts';
import { readBearer } from './form.ts';
import { mountFront, type Registered } from './front.ts';
import { createHost, type Host, listen } from './host.ts';

export interface AtlassianSite {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly groups: readonly string[];
}

export interface AtlassianIdp extends Host {
  readonly client: Registered;
  readonly users: Record<string, Record<string, unknown>>;
  readonly sites: AtlassianSite[];
}

/**
 * Atlassian Cloud's OAuth 2.0 (3LO) as developer.atlassian.com describes it: audience and prompt are wanted, the secret
 * comes in a JSON body, refresh tokens rotate and a dead one is answered with 403, a site is listed once a product.
 */
export async function createAtlassianIdp(): Promise<AtlassianIdp> {
  const host = await createHost();
  const client: Registered = { id: 'atl-client', secret: 'atlassian-planted-secret', redirects: [] };
  const users: Record<string, Record<string, unknown>> = {
    ada: { account_id: '5b10:ada', email: 'ada@example.com', name: 'Ada Lovelace', nickname: 'ada' },
  };
  const sites: AtlassianSite[] = [
    { id: '11223344-a1b2', name: 'acme', url: 'https://acme.atlassian.net', groups: ['jira-administrators'] },
  ];
  const desk = createDesk();
  const app = new Hono();
  mountFront(app, {
    name: 'atlassian',
    path: '/authorize',
    client,
    users: Object.keys(users),
    allowed: ['code_challenge', 'code_challenge_method'],
    required: ['audience', 'client_id', 'scope', 'redirect_uri', 'state', 'response_type', 'prompt'],
    check: (query) => {
      if (query.get('audience') !== 'api.atlassian.com') return 'invalid audience';
      if (query.get('response_type') !== 'code') return 'unsupported_response_type';
      return query.get('prompt') === 'consent' ? null : 'prompt must be consent';
    },
    mismatch: 'page',
    offline: (query) => (query.get('scope') ?? '').split(' ').includes('offline_access'),
    desk,
  });
  const give = (grant: Grant) => ({
    access_token: desk.token('access', grant, 'eyJ-atl-'),
    ...(grant.offline && { refresh_token: desk.token('refresh', grant, 'eyJ-rt-') }),
    expires_in: 3600,
    token_type: 'Bearer',
    scope: grant.scopes.join(' '),
  });
  app.post('/oauth/token', async (c) => {
    if (c.req.header('content-type') !== 'application/json') return c.json({ error: 'invalid_request' }, 400);
    const body: Record<string, string> = await c.req.json();
    const unauthorized = { error: 'access_denied', error_description: 'Unauthorized' };
    if (body.client_id !== client.id || body.client_secret !== client.secret)
      return c.json(unauthorized, 401);
    const dead = (text: string) => c.json({ error: 'invalid_grant', error_description: text }, 403);
    if (body.grant_type === 'refresh_token') {
      const grant = desk.find('refresh', body.refresh_token ?? '');
      if (!grant) return dead('Unknown or invalid refresh token.');
      desk.drop(body.refresh_token ?? '');
      return c.json(give(grant));
    }
    if (body.grant_type !== 'authorization_code') return c.json({ error: 'unsupported_grant_type' }, 403);
    const proof = { redirectUri: body.redirect_uri ?? null, verifier: body.code_verifier ?? null };
    const grant = desk.redeem(body.code ?? '', proof);
    return typeof grant === 'string' ? dead('Invalid authorization code') : c.json(give(grant));
  });
  const holds = (token: string, scope: string | null): Grant | null => {
    const grant = desk.find('access', token);
    return grant && (scope === null || grant.scopes.includes(scope)) ? grant : null;
  };
  app.get('/me', (c) => {
    const grant = holds(readBearer(c), 'read:me');
    if (!grant) return c.json({ code: 403, message: 'Forbidden' }, 403);
    return c.json({ account_type: 'atlassian', account_status: 'active', ...users[grant.user] });
  });
  app.get('/oauth/token/accessible-resources', (c) => {
    const grant = holds(readBearer(c), null);
    if (!grant) return c.json({ code: 401, message: 'Unauthorized' }, 401);
    const products = ['read:jira-user', 'read:confluence-user'].filter((scope) =>
      grant.scopes.includes(scope),
    );
    return c.json(
      sites.flatMap(({ groups: _groups, ...site }) =>
        products.map((scope) => ({ ...site, scopes: [scope], avatarUrl: 'https://x.example/a.png' })),
      ),
    );
  });
  app.get('/ex/jira/:cloud/rest/api/3/user/groups', (c) => {
    const grant = holds(readBearer(c), 'read:jira-user');
    const site = sites.find(({ id }) => id === c.req.param('cloud'));
    if (!grant || !site) return c.json({ code: 401, message: 'Unauthorized; scope does not match' }, 401);
    if (c.req.query('accountId') !== users[grant.user]?.account_id) return c.json({ errorMessages: [] }, 404);
    return c.json(site.groups.map((name) => ({ name, groupId: name, self: 'https://x.example' })));
  });
  host.serve(listen(app));
  return { ...host, client, users, sites };
}
