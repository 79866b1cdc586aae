import type { JsonObject } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { type ProviderProfile, toIdentity } from '../identity.ts';
import { basic } from '../upstream/basic.ts';
import { createProviderClient } from '../upstream/client.ts';
import { refused, unavailable } from '../upstream/errors.ts';
import { textOf } from '../upstream/field.ts';
import type { Provider, ProviderPorts, UpstreamTokens } from '../upstream/provider.ts';
import { enforceGranted, scopesOf } from '../upstream/scopes.ts';
import { createApi, type GithubApi } from './github-api.ts';

const provider = 'GitHub';
const AUTH_URL = 'https://github.com/login/oauth/authorize';
const TOKEN_URL = 'https://github.com/login/oauth/access_token';

/** GitHub, GitHub Enterprise Server and ghe.com; OAuth apps and GitHub Apps. */
export function createGithub(block: ProviderBlock, ports: ProviderPorts): Provider {
  const scopes = scopesOf(block, ['read:user', 'user:email']);
  const apiUrl = (block.api_url ?? apiOf(block.auth_url ?? AUTH_URL)).replace(/\/+$/, '');
  const client = createProviderClient(block, ports, {
    provider,
    scopes,
    openid: false,
    parameters: {},
    endpoints: async () => ({
      authorize: block.auth_url ?? AUTH_URL,
      token: block.token_url ?? TOKEN_URL,
      revoke: null,
      authentication: 'body',
    }),
  });
  return {
    id: 'github',
    scopes,
    authorizationUrl: client.authorizationUrl,
    refresh: client.refresh,
    exchange: async (code, trip, signal) => {
      const tokens = await client.exchange(code, trip, signal);
      // the tokens of GitHub Apps have permissions in place of scopes
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
      // 404 and 422: it is no token any more
      if (status >= 300 && status !== 404 && status !== 422) throw unavailable(step, `answered ${status}`);
    },
  };
}

function toRevocation({ client_id, client_secret }: ProviderBlock, { accessToken }: UpstreamTokens) {
  const authorization = basic(client_id, client_secret ?? '');
  return {
    method: 'DELETE',
    headers: { authorization, accept: 'application/vnd.github+json', 'content-type': 'application/json' },
    body: JSON.stringify({ access_token: accessToken }),
  } as const;
}

/** github.com, `<name>.ghe.com`, or a server of one's own. */
function apiOf(authUrl: string): string {
  const { hostname, protocol, host, origin } = new URL(authUrl);
  if (hostname === 'github.com' || hostname.endsWith('.ghe.com')) return `${protocol}//api.${host}`;
  return `${origin}/api/v3`;
}

/** A scope holds the smaller ones of its family. */
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
    throw refused({ provider }, 'does not say clearly who this is. Log in again.');
  const email = await api.email();
  const groups = scopes.some((scope) => ORGANISATIONS.includes(scope)) ? await api.groups() : [];
  const [username, name] = [textOf(user, 'login'), textOf(user, 'name')];
  const mapped: JsonObject = { id: String(id), login: username, email, groups };
  return { id: String(id), username, email, name, groups, claims: {}, mapped };
}
