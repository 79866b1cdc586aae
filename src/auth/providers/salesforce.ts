import { isObject, type JsonObject, objectsOf, textOf } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { type ProviderProfile, toIdentity } from '../identity.ts';
import { createProviderClient, type ProviderClient } from '../upstream/client.ts';
import { refused } from '../upstream/errors.ts';
import { createKeys, verifyIdToken } from '../upstream/id-token.ts';
import { toOpenIdProfile } from '../upstream/openid.ts';
import { type Provider, type ProviderPorts, scopesOf, type UpstreamTokens } from '../upstream/provider.ts';
import { readObject } from '../upstream/request.ts';

const provider = 'Salesforce';
const AUTHORIZE = '/services/oauth2/authorize';

/** Salesforce: production, sandboxes, and custom domains by `auth_url` and `token_url`. */
export function createSalesforce(block: ProviderBlock, ports: ProviderPorts): Provider {
  const named = [...(ports.wanted ?? []), ...Object.keys(block.claim_mappings ?? {})];
  const rights = RIGHTS.filter(({ claim }) => named.includes(claim));
  const more = [...(rights.length > 0 ? ['api'] : []), ...(ports.offline ? ['refresh_token'] : [])];
  const scopes = scopesOf(block, ['openid', 'profile', 'email', ...more]);
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
    issuer: `${at.authorize} ${at.token}`,
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
      const place = { token: at.token, tokens, signal };
      return toIdentity(await addRights(client, profile, { ...place, rights }), block.claim_mappings);
    },
  };
}

/** The rights of a user that only queries tell: the claim, and the query for the user's id. */
const RIGHTS = [
  {
    claim: 'profile',
    field: 'Profile',
    several: false,
    query: (id: string) => `SELECT Profile.Name FROM User WHERE Id = '${id}'`,
  },
  {
    claim: 'permission_sets',
    field: 'PermissionSet',
    several: true,
    query: (id: string) =>
      `SELECT PermissionSet.Name FROM PermissionSetAssignment WHERE AssigneeId = '${id}'`,
  },
] as const;
/** Every supported organisation has this version of the API. */
const QUERY = '/services/data/v59.0/query';

interface RightsRequest {
  readonly rights: readonly (typeof RIGHTS)[number][];
  readonly token: string;
  readonly tokens: UpstreamTokens;
  readonly signal: AbortSignal;
}

/** Adds the user's profile and permission sets, if rules name them. The profile is a name here, not the address of a page. */
async function addRights(
  { ask }: ProviderClient,
  profile: ProviderProfile,
  { rights, token, tokens, signal }: RightsRequest,
): Promise<ProviderProfile> {
  if (rights.length === 0) return profile;
  const instance = textOf(tokens.extra, 'instance_url');
  if (instance === null || !isTrusted(instance, token) || !/^\w{15,18}$/.test(profile.id)) throw unclear();
  const { accessToken } = tokens;
  const found = await Promise.all(
    rights.map(async ({ claim, field, several, query }) => {
      const url = `${new URL(instance).origin}${QUERY}?q=${encodeURIComponent(query(profile.id))}`;
      const what = `the ${claim.replace('_', ' ')} of the user`;
      const answer = await readObject(ask, { provider, what, url, accessToken, signal });
      // A cut list could only hide rights.
      const names = objectsOf(answer.records).flatMap((row) => {
        const record = row[field];
        return isObject(record) ? (textOf(record, 'Name') ?? []) : [];
      });
      return [claim, several ? names : (names[0] ?? null)] as const;
    }),
  );
  const claims = Object.fromEntries(found);
  return { ...profile, claims: { ...profile.claims, ...claims }, mapped: { ...profile.mapped, ...claims } };
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
    organizations: [organization_id],
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
