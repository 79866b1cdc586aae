import { isObject, type JsonObject, objectsOf, textOf } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { PROVIDERS } from '../../settings/schema/providers.ts';
import { type ProviderProfile, toIdentity } from '../identity.ts';
import { createProviderClient } from '../upstream/client.ts';
import { refused, unavailable } from '../upstream/errors.ts';
import {
  enforceGranted,
  type Provider,
  type ProviderPorts,
  scopesOf,
  type UpstreamTokens,
} from '../upstream/provider.ts';
import {
  basicAuthorization,
  readJson,
  readObject,
  type SendToProvider,
  toReadFailure,
} from '../upstream/request.ts';

const provider = 'GitHub';
const { auth_url: AUTH_URL, token_url: TOKEN_URL } = PROVIDERS.github.urls;

/** GitHub, GitHub Enterprise Server and ghe.com, for OAuth apps and GitHub Apps. */
export function createGithub(block: ProviderBlock, ports: ProviderPorts): Provider {
  const grouped = ports.wanted?.some((fact) => fact === 'groups' || fact === 'organizations');
  const scopes = scopesOf(block, ['read:user', 'user:email', ...(grouped ? ['read:org'] : [])]);
  const { auth_url: authorize = AUTH_URL, token_url: token = TOKEN_URL } = block;
  const apiUrl = (block.api_url ?? apiOf(authorize)).replace(/\/+$/, '');
  const client = createProviderClient(block, ports, {
    provider,
    scopes,
    openid: false,
    parameters: {},
    endpoints: async () => ({ authorize, token, revoke: null, authentication: 'body' }),
  });
  return {
    id: 'github',
    issuer: `${authorize} ${token}`,
    scopes,
    authorizationUrl: client.authorizationUrl,
    refresh: client.refresh,
    exchange: async (code, attempt, signal) => {
      const tokens = await client.exchange(code, attempt, signal);
      // Tokens of GitHub Apps have permissions instead of scopes.
      if (tokens.scopes && tokens.scopes.length > 0) enforceScopes(scopes, tokens.scopes);
      return tokens;
    },
    identify: async ({ accessToken }, _nonce, signal) => {
      const api = createApi(client.ask, { url: apiUrl, accessToken, signal });
      return toIdentity(await readProfile(api, scopes), block.claim_mappings);
    },
    revoke: async (tokens, signal) => {
      const url =
        block.revocation_url ?? `${apiUrl}/applications/${encodeURIComponent(block.client_id)}/token`;
      const step = { provider, what: 'the end of a token' };
      const { status } = await client.ask({ ...step, ...toRevocation(block, tokens), url, signal });
      // 404 and 422: the token is already invalid.
      if (status >= 300 && status !== 404 && status !== 422) throw unavailable(step, `answered ${status}`);
    },
  };
}

function toRevocation({ client_id, client_secret }: ProviderBlock, { accessToken }: UpstreamTokens) {
  const authorization = basicAuthorization(client_id, client_secret ?? '');
  return {
    method: 'DELETE',
    headers: { authorization, accept: 'application/vnd.github+json', 'content-type': 'application/json' },
    body: JSON.stringify({ access_token: accessToken }),
  } as const;
}

/** The API address of github.com, of `<name>.ghe.com`, or of a GitHub Enterprise Server. */
function apiOf(authUrl: string): string {
  const { hostname, protocol, host, origin } = new URL(authUrl);
  if (hostname === 'github.com' || hostname.endsWith('.ghe.com')) return `${protocol}//api.${host}`;
  return `${origin}/api/v3`;
}

/** Throws login_refused if a scope is missing. A scope includes the smaller ones of its family. */
function enforceScopes(asked: readonly string[], granted: readonly string[]): void {
  const all = new Set(
    granted.flatMap((scope) => {
      const [, level, rest] = /^(admin|write):(.+)$/.exec(scope) ?? [];
      if (scope === 'user') return [scope, 'read:user', 'user:email', 'user:follow'];
      if (scope === 'repo') return [scope, 'public_repo', 'repo:status', 'repo_deployment', 'repo:invite'];
      if (level === undefined) return [scope];
      return [scope, `read:${rest}`, ...(level === 'admin' ? [`write:${rest}`] : [])];
    }),
  );
  enforceGranted(provider, asked, (scope) => all.has(scope));
}

const ORGANISATIONS = ['read:org', 'write:org', 'admin:org'];

async function readProfile(api: GithubApi, scopes: readonly string[]): Promise<ProviderProfile> {
  const user = await api.user();
  const id = user.id;
  if (!Number.isSafeInteger(id))
    throw refused({ provider }, 'does not identify the user clearly. Log in again.');
  const email = await api.email();
  const seesGroups = scopes.some((scope) => ORGANISATIONS.includes(scope));
  const organizations = seesGroups ? await api.organizations() : [];
  const groups = seesGroups ? [...organizations, ...(await api.teams())] : [];
  const [username, name] = [textOf(user, 'login'), textOf(user, 'name')];
  const mapped: JsonObject = { id: String(id), login: username, email, groups };
  return { id: String(id), username, email, name, groups, organizations, claims: {}, mapped };
}

const HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

/** The requests to GitHub's REST API about a user. */
interface GithubApi {
  user(): Promise<JsonObject>;
  /** The primary address if it is verified. Null also if the token may not read addresses. */
  email(): Promise<string | null>;
  /** The logins of the user's organisations. */
  organizations(): Promise<readonly string[]>;
  /** The user's teams, as `org/team-slug`. */
  teams(): Promise<readonly string[]>;
}

interface GithubToken {
  readonly url: string;
  readonly accessToken: string;
  readonly signal: AbortSignal;
}

function createApi(ask: SendToProvider, access: GithubToken): GithubApi {
  return {
    user: () => readObject(ask, toQuestion(access, 'the user', '/user')),
    email: () => readEmail(ask, access),
    organizations: async () =>
      (await readPages(ask, access, '/user/orgs')).flatMap((row) => textOf(row, 'login') ?? []),
    teams: async () => (await readPages(ask, access, '/user/teams')).flatMap(toTeam),
  };
}

const toQuestion = ({ url, ...access }: GithubToken, what: string, path: string) => ({
  ...access,
  provider,
  what,
  url: `${url}${path}`,
  headers: HEADERS,
});

async function readEmail(ask: SendToProvider, access: GithubToken): Promise<string | null> {
  const { accessToken, ...question } = toQuestion(
    access,
    'the addresses',
    `/user/emails?per_page=${PAGE_SIZE}`,
  );
  const answer = await ask({ ...question, headers: { ...HEADERS, authorization: `Bearer ${accessToken}` } });
  const failure = answer.status >= 300 ? toReadFailure(answer, question) : null;
  if (failure !== null && ![403, 404].includes(answer.status)) throw failure;
  if (failure?.code === 'login_unavailable') throw failure;
  const address = objectsOf(answer.body).find(
    ({ primary, verified }) => primary === true && verified === true,
  );
  return address ? textOf(address, 'email') : null;
}

/** Reads all pages. Throws login_refused for more rows than allowed, because a cut list would hide memberships. */
async function readPages(
  ask: SendToProvider,
  access: GithubToken,
  path: string,
): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = `?per_page=${PAGE_SIZE}&page=${page}`;
    const found = objectsOf(await readJson(ask, toQuestion(access, 'the organisations', `${path}${query}`)));
    rows.push(...found);
    if (found.length < PAGE_SIZE) return rows;
  }
  throw refused(
    { provider },
    `lists more than ${PAGE_SIZE * MAX_PAGES} organisations or teams for this user.`,
  );
}

function toTeam(row: JsonObject): string[] {
  const organisation = isObject(row.organization) ? textOf(row.organization, 'login') : null;
  const slug = textOf(row, 'slug');
  return organisation === null || slug === null ? [] : [`${organisation}/${slug}`];
}
