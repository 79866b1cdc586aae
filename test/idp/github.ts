import { type Context, Hono } from 'hono';
import { createDesk, type Grant } from './desk.ts';
import { readBasic, readBearer, readForm } from './form.ts';
import { mountFront, type Registered } from './front.ts';
import { createHost, type Host, listen } from './host.ts';

export interface GithubUser {
  readonly id: number;
  readonly name: string | null;
  readonly emails: readonly {
    readonly email: string;
    readonly primary: boolean;
    readonly verified: boolean;
  }[];
  readonly orgs: readonly string[];
  readonly teams: readonly (readonly [org: string, slug: string])[];
}

export interface GithubIdp extends Host {
  readonly client: Registered;
  readonly users: Record<string, GithubUser>;
}

export interface GithubOptions {
  /** A GitHub App with expiring tokens: permissions in place of scopes, and refresh tokens. */
  readonly app?: boolean;
}

const DOCUMENTED = [
  'login',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'allow_signup',
  'prompt',
];

/**
 * GitHub Enterprise Server as docs.github.com describes it: errors with status 200, form-encoded answers unless JSON is
 * asked for, scopes with commas between them, no address in the profile, API below /api/v3.
 */
export async function createGithubIdp({ app: isApp = false }: GithubOptions = {}): Promise<GithubIdp> {
  const host = await createHost();
  const client: Registered = { id: 'Iv1.svc', secret: 'github-planted-secret', redirects: [] };
  const users: Record<string, GithubUser> = {
    ada: {
      id: 1815,
      name: 'Ada Lovelace',
      emails: [
        { email: 'old@example.com', primary: false, verified: true },
        { email: 'ada@example.com', primary: true, verified: true },
      ],
      orgs: ['acme'],
      teams: [['acme', 'admins']],
    },
  };
  const desk = createDesk();
  const app = new Hono();
  mountFront(app, {
    name: 'github',
    path: '/login/oauth/authorize',
    client,
    users: Object.keys(users),
    allowed: [...DOCUMENTED, 'response_type'],
    required: ['client_id', 'redirect_uri'],
    mismatch: 'callback',
    offline: () => isApp,
    desk,
  });
  const give = (grant: Grant) => ({
    access_token: desk.token('access', grant, isApp ? 'ghu_' : 'gho_'),
    scope: isApp ? '' : grant.scopes.join(','),
    token_type: 'bearer',
    ...(isApp && {
      expires_in: 28800,
      refresh_token: desk.token('refresh', grant, 'ghr_'),
      refresh_token_expires_in: 15_897_600,
    }),
  });
  app.post('/login/oauth/access_token', async (c) => {
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
    if (typeof fields === 'string') return c.text(fields, 422);
    const error = (code: string) =>
      reply(c, { error: code, error_description: 'no', error_uri: 'https://x.example' });
    if (fields.get('client_id') !== client.id) return c.json({ error: 'Not Found' }, 404);
    if (fields.get('client_secret') !== client.secret) return error('incorrect_client_credentials');
    if (fields.get('grant_type') === 'refresh_token') {
      const refresh = fields.get('refresh_token') ?? '';
      const grant = desk.find('refresh', refresh);
      if (!grant) return error('bad_refresh_token');
      desk.end(refresh);
      return reply(c, give({ ...grant }));
    }
    if (!client.redirects.includes(fields.get('redirect_uri') ?? '')) return error('redirect_uri_mismatch');
    const grant = desk.redeem(fields.get('code') ?? '', {
      redirectUri: fields.get('redirect_uri'),
      verifier: fields.get('code_verifier'),
    });
    return typeof grant === 'string' ? error('bad_verification_code') : reply(c, give(grant));
  });
  mountApi(app, { users, holder: (c) => desk.find('access', readBearer(c)), isApp });
  app.delete('/api/v3/applications/:id/token', async (c) => {
    const basic = readBasic(c);
    if (basic?.id !== client.id || basic.secret !== client.secret)
      return c.json({ message: 'Not Found' }, 404);
    const { access_token } = await c.req.json();
    return desk.end(access_token) ? c.body(null, 204) : c.json({ message: 'Validation Failed' }, 422);
  });
  host.serve(listen(app));
  return { ...host, client, users };
}

function reply(c: Context, body: Record<string, string | number>) {
  if (c.req.header('accept') === 'application/json') return c.json(body);
  const pairs = Object.entries(body).map(([key, value]) => [key, String(value)]);
  return c.body(new URLSearchParams(pairs).toString(), 200, {
    'content-type': 'application/x-www-form-urlencoded',
  });
}

interface Api {
  readonly users: Readonly<Record<string, GithubUser>>;
  readonly holder: (c: Context) => Grant | null;
  readonly isApp: boolean;
}

function mountApi(app: Hono, { users, holder, isApp }: Api): void {
  const route = (
    path: string,
    scopes: readonly string[],
    body: (user: GithubUser, login: string) => unknown,
  ) =>
    app.get(`/api/v3${path}`, (c) => {
      if (!c.req.header('user-agent')) return c.text('Request forbidden by administrative rules.', 403);
      const grant = holder(c);
      const user = users[grant?.user ?? ''];
      if (!grant || !user) return c.json({ message: 'Bad credentials', status: '401' }, 401);
      const open = isApp || scopes.length === 0 || scopes.some((scope) => grant.scopes.includes(scope));
      if (!open) return c.json({ message: 'Not Found', status: '404' }, 404);
      const found = body(user, grant.user);
      if (!Array.isArray(found)) return c.json(found);
      const [size, page] = [Number(c.req.query('per_page') ?? 30), Number(c.req.query('page') ?? 1)];
      return size > 100
        ? c.json({ message: 'no' }, 422)
        : c.json(found.slice((page - 1) * size, page * size));
    });
  // the address is null while it is private
  route('/user', [], ({ id, name }, login) => ({
    login,
    id,
    node_id: 'U_1',
    name,
    email: null,
    type: 'User',
  }));
  route('/user/emails', ['user:email', 'user'], ({ emails }) =>
    emails.map((email) => ({ ...email, visibility: 'private' })),
  );
  route('/user/orgs', ['read:org', 'user'], ({ orgs }) => orgs.map((login, id) => ({ login, id })));
  route('/user/teams', ['read:org'], ({ teams }) =>
    teams.map(([login, slug], id) => ({ id, slug, name: slug, organization: { login } })),
  );
}
