import type { JsonObject } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { type ProviderProfile, toIdentity } from '../identity.ts';
import { createProviderClient, type ProviderClient } from '../upstream/client.ts';
import { refused } from '../upstream/errors.ts';
import { textOf } from '../upstream/field.ts';
import { verifyIdToken } from '../upstream/id-token.ts';
import { createKeys } from '../upstream/keys.ts';
import { toOpenIdProfile } from '../upstream/openid-profile.ts';
import type { Provider, ProviderPorts, UpstreamTokens } from '../upstream/provider.ts';
import { scopesOf } from '../upstream/scopes.ts';
import { readObject } from '../upstream/userinfo.ts';

const provider = 'Salesforce';
const AUTHORIZE = '/services/oauth2/authorize';

/** Salesforce: production, sandboxes, and custom domains by `auth_url` and `token_url`. */
export function createSalesforce(block: ProviderBlock, ports: ProviderPorts): Provider {
  const scopes = scopesOf(block, ['openid', 'profile', 'email', ...(ports.offline ? ['refresh_token'] : [])]);
  const at = toAddresses(block);
  const client = createProviderClient(block, ports, {
    provider,
    scopes,
    openid: true,
    parameters: {},
    endpoints: async () => ({ ...at, authentication: 'body', openRevocation: true }),
    keep: ['id', 'instance_url'],
  });
  const keys = createKeys(provider, at.jwks, client.ask);
  return {
    id: 'salesforce',
    scopes,
    authorizationUrl: client.authorizationUrl,
    exchange: client.exchange,
    refresh: client.refresh,
    revoke: client.revoke,
    identify: async (tokens, nonce, signal) => {
      const rules = { provider, clientId: block.client_id, keys, nonce, now: ports.now() };
      const issuers = issuersOf(at, tokens);
      const idClaims =
        tokens.idToken === null ? null : await verifyIdToken(tokens.idToken, { ...rules, issuers });
      const profile = await readProfile(client, { tokens, scopes, userinfo: at.userinfo, signal });
      enforceSameUser(idClaims, profile);
      return toIdentity(profile, block.claim_mappings);
    },
  };
}

interface Addresses {
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
  readonly userinfo: string;
  readonly jwks: string;
}

/** The addresses of a login domain. Sites of Experience Cloud have a path before `/services`. */
function toAddresses({ sandbox, ...block }: ProviderBlock): Addresses {
  const standard = sandbox ? 'https://test.salesforce.com' : 'https://login.salesforce.com';
  const baseOf = (url: string | undefined) => url?.replace(/\/services\/oauth2\/\w+\/?$/, '') ?? standard;
  const base = baseOf(block.token_url ?? block.auth_url);
  return {
    authorize: block.auth_url ?? `${base}${AUTHORIZE}`,
    token: block.token_url ?? `${base}/services/oauth2/token`,
    revoke: block.revocation_url ?? `${base}/services/oauth2/revoke`,
    userinfo: block.userinfo_url ?? `${base}/services/oauth2/userinfo`,
    jwks: `${base}/id/keys`,
  };
}

/** The accepted issuers of an id token: the login host, and the organisation's own domain. */
function issuersOf({ authorize, token, jwks }: Addresses, tokens: UpstreamTokens): readonly string[] {
  const instance = textOf(tokens.extra, 'instance_url');
  const own = instance !== null && isTrusted(instance, token) ? [new URL(instance).origin] : [];
  return [new URL(authorize).origin, new URL(token).origin, jwks.replace(/\/id\/keys$/, ''), ...own];
}

/** Whether a token may be sent to an address: only to Salesforce and to the host that issued it. */
function isTrusted(url: string, tokenUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, protocol, hostname } = new URL(url);
  if (origin === new URL(tokenUrl).origin) return true;
  return protocol === 'https:' && /\.(salesforce|force|cloudforce)\.com$/.test(hostname);
}

interface ProfileRequest {
  readonly tokens: UpstreamTokens;
  readonly scopes: readonly string[];
  readonly userinfo: string;
  readonly signal: AbortSignal;
}

/** Reads the user. Without the scope openid, the identity URL of the token response replaces user information. */
async function readProfile(
  { ask }: ProviderClient,
  { tokens, scopes, userinfo, signal }: ProfileRequest,
): Promise<ProviderProfile> {
  const open = (tokens.scopes ?? scopes).includes('openid');
  const { accessToken, extra } = tokens;
  const url = open ? userinfo : textOf(extra, 'id');
  if (url === null || !(open || isTrusted(url, userinfo))) throw unclear();
  const user = await readObject(ask, { provider, what: 'the user', url, accessToken, signal });
  return toProfile(user, textOf(extra, 'instance_url'));
}

function toProfile(user: JsonObject, instance_url: string | null): ProviderProfile {
  const id = textOf(user, 'user_id');
  const organization_id = textOf(user, 'organization_id');
  if (id === null || organization_id === null) throw unclear();
  if (user.active === false) throw refused({ provider }, 'says that this user is not active.');
  const { email, groups, mapped } = toOpenIdProfile(user);
  const claims: JsonObject = { organization_id, ...(instance_url && { instance_url }) };
  return {
    id,
    username: textOf(user, 'preferred_username') ?? textOf(user, 'username'),
    email,
    name: textOf(user, 'name') ?? textOf(user, 'display_name'),
    groups,
    claims,
    mapped: { ...mapped, ...claims },
  };
}

/** Throws login_refused if the id token names another user. Its subject is a URL that ends in the user's id. */
function enforceSameUser(idClaims: JsonObject | null, { id }: ProviderProfile): void {
  if (idClaims === null || textOf(idClaims, 'sub')?.split('/').at(-1) === id) return;
  throw unclear();
}

const unclear = () => refused({ provider }, 'does not identify the user clearly. Log in again.');
