import type { JWTVerifyGetKey } from 'jose';
import { type JsonObject, textOf, textsOf } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { type ProviderProfile, toIdentity } from '../identity.ts';
import { createProviderClient, type Endpoints, type ProviderClientOptions } from './client.ts';
import { refused } from './errors.ts';
import { createKeysAt, verifyIdToken } from './id-token.ts';
import type { Provider, ProviderPorts, UpstreamTokens } from './provider.ts';
import { readObject, type SendToProvider } from './request.ts';

/** The addresses of an OpenID provider. */
export interface OpenIdServer {
  readonly endpoints: Endpoints;
  /** The accepted values of `iss`. */
  readonly issuers: readonly string[];
  /** Whether its callbacks always carry `iss` (RFC 9207). */
  readonly sendsIssuer: boolean;
  readonly jwks: string;
  /** Null if the id token has all claims. */
  readonly userinfo: string | null;
}

/** A login with a verified id token, for a provider's own rules. */
export interface VerifiedLogin {
  readonly tokens: UpstreamTokens;
  readonly server: OpenIdServer;
  readonly keys: JWTVerifyGetKey;
  readonly now: number;
}

/** The facts in which an OpenID provider differs from others. */
interface OpenIdOptions extends Pick<ProviderClientOptions, 'provider' | 'scopes' | 'parameters'> {
  readonly id: string;
  readonly issuer: string;
  readonly server: (signal: AbortSignal, ask: SendToProvider) => Promise<OpenIdServer>;
  /** Whether an id token with an email address has all claims, so that user information is not requested. */
  readonly complete: boolean;
  /** Applies the provider's own rules to the profile of the standard claims. */
  readonly refine?: (
    profile: ProviderProfile,
    login: VerifiedLogin,
  ) => Promise<ProviderProfile> | ProviderProfile;
}

/** Creates an OpenID Connect provider. It verifies the id token and adds the user information. */
export function createOpenId(block: ProviderBlock, ports: ProviderPorts, options: OpenIdOptions): Provider {
  const { provider } = options;
  const server = (signal: AbortSignal) => options.server(signal, client.ask);
  const client = createProviderClient(block, ports, {
    ...options,
    openid: true,
    endpoints: async (signal) => (await server(signal)).endpoints,
  });
  const keys = createKeysAt(provider, client.ask);
  const readUserInfo = async (url: string, { accessToken }: UpstreamTokens, signal: AbortSignal) =>
    readObject(client.ask, { provider, what: 'the user', url, accessToken, signal });
  return {
    id: options.id,
    issuer: options.issuer,
    scopes: options.scopes,
    authorizationUrl: client.authorizationUrl,
    exchange: client.exchange,
    refresh: client.refresh,
    revoke: client.revoke,
    enforceIssuer: async (issuer) => {
      const { issuers, sendsIssuer } = await server(new AbortController().signal);
      if (issuer === null ? !sendsIssuer : issuers.includes(issuer)) return;
      throw refused({ provider }, 'did not send this answer. Log in again.');
    },
    // A refresh may bring no id token (Core, 12.2).
    canIdentify: async ({ idToken }, signal) => idToken !== null || (await server(signal)).userinfo !== null,
    identify: async (tokens, nonce, signal) => {
      const found = await server(signal);
      const rules = { provider, issuers: found.issuers, clientId: block.client_id, nonce, now: ports.now() };
      const key = keys(found.jwks);
      const idClaims = await readIdToken(tokens, { ...rules, keys: key }, options.scopes);
      const enough = idClaims !== null && options.complete && 'email' in idClaims;
      const info =
        enough || found.userinfo === null ? null : await readUserInfo(found.userinfo, tokens, signal);
      const profile = toOpenIdProfile(merge(provider, idClaims, info));
      const login = { tokens, server: found, keys: key, now: rules.now };
      return toIdentity((await options.refine?.(profile, login)) ?? profile, block.claim_mappings);
    },
  };
}

type Rules = Parameters<typeof verifyIdToken>[1];

async function readIdToken({ idToken }: UpstreamTokens, rules: Rules, scopes: readonly string[]) {
  if (idToken !== null) return verifyIdToken(idToken, rules);
  if (rules.nonce === null || !scopes.includes('openid')) return null;
  throw refused(rules, 'sent no id token. Log in again.');
}

/** Adds user information to the id token's claims. Both must name the same user (Core, 5.3.2). */
function merge(provider: string, idClaims: JsonObject | null, info: JsonObject | null): JsonObject {
  const claims = { ...idClaims, ...info };
  const same = idClaims === null || info === null || idClaims.sub === info.sub;
  if (same && typeof claims.sub === 'string' && claims.sub !== '') return claims;
  throw refused({ provider }, 'does not identify the user clearly. Log in again.');
}

/** Claims about tokens, claims without meaning for permissions, and claims with their own field in an identity. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['acr', 'active', 'allowed-origins', 'amr', 'at_hash', 'aud', 'auth_time', 'azp', 'c_hash', 'client_id'],
  ...['exp', 'iat', 'iss', 'jti', 'nbf', 'nonce', 's_hash', 'scope', 'scp', 'session_state', 'sid', 'sub'],
  ...['token_type', 'typ', 'uti', 'ver'],
  ...['address', 'birthdate', 'email', 'email_verified', 'family_name', 'gender', 'given_name', 'groups'],
  ...['locale', 'middle_name', 'name', 'nickname', 'phone_number', 'phone_number_verified'],
  ...['picture', 'preferred_username', 'profile', 'realm_access', 'resource_access', 'updated_at'],
  ...['username', 'website', 'zoneinfo'],
]);

/** Makes a profile from the standard claims of OpenID Connect (Core, 5.1). */
export function toOpenIdProfile(claims: JsonObject): ProviderProfile {
  const address = textOf(claims, 'email');
  const verified = claims.email_verified === true || claims.email_verified === 'true';
  const email = verified ? address : null;
  const groups = textsOf(claims.groups).map((group) => group.replace(/^\//, ''));
  const others = Object.entries(claims).filter(([name]) => !LEFT_OUT.has(name));
  return {
    id: textOf(claims, 'sub') ?? '',
    username: textOf(claims, 'preferred_username') ?? textOf(claims, 'username') ?? email,
    email,
    name: textOf(claims, 'name'),
    groups,
    claims: {
      ...Object.fromEntries(others),
      ...(address !== null && !verified && { email_unverified: address }),
    },
    mapped: { ...claims, email, groups },
  };
}
