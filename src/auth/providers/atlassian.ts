import { isObject, type JsonObject, objectsOf, textOf, textsOf } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { PROVIDERS } from '../../settings/schema/providers.ts';
import { type ProviderProfile, toIdentity } from '../identity.ts';
import { createProviderClient } from '../upstream/client.ts';
import { refused, unavailable } from '../upstream/errors.ts';
import { type Provider, type ProviderPorts, scopesOf, type UpstreamTokens } from '../upstream/provider.ts';
import { readJson, readObject, type SendToProvider } from '../upstream/request.ts';

const provider = 'Atlassian';
const { auth_url: AUTH_URL, token_url: TOKEN_URL } = PROVIDERS.atlassian.urls;
const API_URL = 'https://api.atlassian.com';
/** The scope for reading the groups of Jira. */
const GROUPS_SCOPE = 'read:jira-user';
const MAX_SITES = 20;

/** Atlassian Cloud (OAuth 2.0 3LO). `user.claims.cloud_ids` holds the sites that the login may use. */
export function createAtlassian(block: ProviderBlock, ports: ProviderPorts): Provider {
  const grouped = ports.wanted?.some((fact) => fact === 'groups' || fact === 'organizations');
  const more = [...(grouped ? [GROUPS_SCOPE] : []), ...(ports.offline ? ['offline_access'] : [])];
  const scopes = scopesOf(block, ['read:me', ...more]);
  const api = (block.api_url ?? apiOf(block)).replace(/\/+$/, '');
  const { auth_url: authorize = AUTH_URL, token_url: token = TOKEN_URL } = block;
  const client = createProviderClient(block, ports, {
    provider,
    scopes,
    openid: false,
    parameters: { audience: 'api.atlassian.com', prompt: 'consent' },
    endpoints: async () => ({ authorize, token, revoke: null, authentication: 'json' }),
    // A firewall answers 403 too, with a page.
    isDead: ({ status, body }) => status === 403 && isObject(body),
  });
  return {
    id: 'atlassian',
    issuer: `${authorize} ${token}`,
    scopes,
    authorizationUrl: client.authorizationUrl,
    exchange: client.exchange,
    refresh: client.refresh,
    identify: async (tokens, _nonce, signal) => {
      const access = { ask: client.ask, api, tokens, signal };
      const me = await readMe(access, block.userinfo_url ?? `${api}/me`);
      return toIdentity(await addSites(access, me), block.claim_mappings);
    },
  };
}

/** The API address that belongs to a token address. Many operators configure the default addresses too. */
function apiOf({ token_url = TOKEN_URL }: ProviderBlock): string {
  const { origin } = new URL(token_url);
  return origin === new URL(TOKEN_URL).origin ? API_URL : origin;
}

interface AtlassianApi {
  readonly ask: SendToProvider;
  readonly api: string;
  readonly tokens: UpstreamTokens;
  readonly signal: AbortSignal;
}

const toQuestion = ({ tokens, signal }: AtlassianApi, what: string, url: string) => ({
  provider,
  what,
  url,
  accessToken: tokens.accessToken,
  signal,
});

async function readMe(access: AtlassianApi, url: string): Promise<ProviderProfile> {
  const me = await readObject(access.ask, toQuestion(access, 'the user', url));
  const id = textOf(me, 'account_id');
  const status = textOf(me, 'account_status') ?? 'active';
  if (id === null) throw refused({ provider }, 'does not identify the user clearly. Log in again.');
  if (status !== 'active') throw refused({ provider }, 'says that this account is not active.');
  // Every account has a verified address.
  const email = me.email_verified === false ? null : textOf(me, 'email');
  const username = textOf(me, 'nickname') ?? email;
  return { id, username, email, name: textOf(me, 'name'), groups: [], claims: {}, mapped: { email } };
}

interface Site {
  readonly id: string;
  readonly name: string | null;
  readonly url: string;
  readonly scopes: readonly string[];
}

async function addSites(access: AtlassianApi, me: ProviderProfile): Promise<ProviderProfile> {
  const sites = await readSites(access);
  const wantsGroups = access.tokens.scopes?.includes(GROUPS_SCOPE) ?? false;
  const lists = await Promise.all(
    sites.map((site) =>
      wantsGroups && site.scopes.includes(GROUPS_SCOPE) ? readGroups(access, site, me.id) : [],
    ),
  );
  const groups = lists.flat();
  const cloud_ids = sites.map(({ id, name, url }): JsonObject => ({ id, name, url }));
  // Anyone may give a site any name, but not another site's id or address.
  const organizations = sites.flatMap(({ id, url }) => (URL.canParse(url) ? [id, new URL(url).host] : [id]));
  const mapped = { ...me.mapped, cloud_ids, groups };
  return { ...me, groups, organizations, claims: { cloud_ids }, mapped };
}

/** Reads the sites. A site is listed once for each of its products. */
async function readSites(access: AtlassianApi): Promise<readonly Site[]> {
  const url = `${access.api}/oauth/token/accessible-resources`;
  const rows = objectsOf(await readJson(access.ask, toQuestion(access, 'its sites', url)));
  const sites = new Map<string, Site>();
  for (const row of rows) {
    const [id, name, address] = [textOf(row, 'id'), textOf(row, 'name'), textOf(row, 'url')];
    if (id === null || address === null) continue;
    const scopes = [...(sites.get(id)?.scopes ?? []), ...textsOf(row.scopes)];
    sites.set(id, { id, name, url: address, scopes });
  }
  if (sites.size <= MAX_SITES) return [...sites.values()];
  throw refused({ provider }, `lists more than ${MAX_SITES} sites for this login. Log in and allow fewer.`);
}

/** Reads the groups of a site. Anyone can create a site with any group names, so each name begins with the site. */
async function readGroups(
  access: AtlassianApi,
  { id, url }: Site,
  accountId: string,
): Promise<readonly string[]> {
  if (!URL.canParse(url))
    throw unavailable({ provider, what: 'its sites' }, 'sent a site without an address');
  const path = `/ex/jira/${encodeURIComponent(id)}/rest/api/3/user/groups`;
  const address = `${access.api}${path}?accountId=${encodeURIComponent(accountId)}`;
  const rows = objectsOf(await readJson(access.ask, toQuestion(access, 'the groups', address)));
  return rows.flatMap((row) => textOf(row, 'name') ?? []).map((name) => `${new URL(url).host}/${name}`);
}
