import type { ProviderBlock } from '../../settings/model.ts';
import { PROVIDERS } from '../../settings/schema/providers.ts';
import type { ProviderProfile } from '../identity.ts';
import { refused } from '../upstream/errors.ts';
import { createOpenId, type OpenIdServer } from '../upstream/openid.ts';
import { enforceGranted, type Provider, type ProviderPorts, scopesOf } from '../upstream/provider.ts';

const { auth_url: AUTH_URL, token_url: TOKEN_URL } = PROVIDERS.google.urls;
/** The names in Google's response for scopes with short names. */
const LONG_NAMES: Readonly<Record<string, string>> = {
  email: 'https://www.googleapis.com/auth/userinfo.email',
  profile: 'https://www.googleapis.com/auth/userinfo.profile',
};

/** Google and Google Workspace. `user.claims.hd` is the domain of a Workspace account. */
export function createGoogle(block: ProviderBlock, ports: ProviderPorts): Provider {
  const provider = 'Google';
  const scopes = scopesOf(block, ['openid', 'email', 'profile']);
  const issuer = new URL(block.auth_url ?? AUTH_URL).origin;
  const server = toServer(block, issuer);
  const google = createOpenId(block, ports, {
    id: 'google',
    issuer,
    provider,
    scopes,
    // Google reliably issues a refresh token only after a new consent.
    parameters: ports.offline ? { access_type: 'offline', prompt: 'consent' } : {},
    server: async () => server,
    complete: true,
    refine: (profile) => {
      const { hd } = profile.claims;
      const username = profile.email ?? profile.username;
      // A personal account keeps the address of an organisation that its owner has left; only `hd` is current.
      return enforceDomain({ ...profile, username, domains: typeof hd === 'string' ? [hd] : [] }, block);
    },
  });
  return {
    ...google,
    exchange: async (code, attempt, signal) => {
      const tokens = await google.exchange(code, attempt, signal);
      const granted = new Set(tokens.scopes ?? scopes);
      enforceGranted(
        provider,
        scopes,
        (scope) => granted.has(scope) || granted.has(LONG_NAMES[scope] ?? scope),
      );
      return tokens;
    },
  };
}

function toServer(block: ProviderBlock, issuer: string): OpenIdServer {
  const { auth_url = AUTH_URL, token_url = TOKEN_URL, userinfo_url, revocation_url } = block;
  // Many operators configure the default addresses too.
  const isDefault = new URL(token_url).hostname.endsWith('.googleapis.com');
  const at = (address: string, path: string) => (isDefault ? address : new URL(path, token_url).href);
  return {
    endpoints: {
      authorize: auth_url,
      token: token_url,
      revoke: revocation_url ?? at('https://oauth2.googleapis.com/revoke', '/revoke'),
      authentication: 'body',
      openRevocation: true,
    },
    issuers: issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer],
    sendsIssuer: false,
    jwks: at('https://www.googleapis.com/oauth2/v3/certs', '/oauth2/v3/certs'),
    userinfo: userinfo_url ?? at('https://openidconnect.googleapis.com/v1/userinfo', '/v1/userinfo'),
  };
}

/** Throws login_refused for an account of another domain. The parameter `hd` only preselects accounts. */
function enforceDomain(profile: ProviderProfile, { extra_authorize_params }: ProviderBlock): ProviderProfile {
  const domain = extra_authorize_params?.hd;
  const { hd } = profile.claims;
  if (domain === undefined || (domain === '*' ? typeof hd === 'string' : hd === domain)) return profile;
  throw refused({ provider: 'Google' }, `may sign in accounts of ${domain} only. Log in with one of them.`);
}
