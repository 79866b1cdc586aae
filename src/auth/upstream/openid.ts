import type { JWTVerifyGetKey } from 'jose';
import type { JsonObject } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { type ProviderProfile, toIdentity } from '../identity.ts';
import { createProviderClient, type Endpoints, type ProviderClientOptions } from './client.ts';
import { refused } from './errors.ts';
import { verifyIdToken } from './id-token.ts';
import { createKeysAt } from './keys.ts';
import { toOpenIdProfile } from './openid-profile.ts';
import type { Provider, ProviderPorts, UpstreamTokens } from './provider.ts';
import type { SendToProvider } from './request.ts';
import { readObject } from './userinfo.ts';

/** An OpenID provider's addresses. */
export interface OpenIdServer {
  readonly endpoints: Endpoints;
  /** As `iss` has it. */
  readonly issuers: readonly string[];
  /** Whether its callbacks always carry `iss` (RFC 9207). */
  readonly namesItself: boolean;
  readonly jwks: string;
  /** Null: the id token says it all. */
  readonly userinfo: string | null;
}

/** What a provider's own rules may look at. */
export interface VerifiedLogin {
  readonly tokens: UpstreamTokens;
  readonly server: OpenIdServer;
  readonly keys: JWTVerifyGetKey;
  readonly now: number;
}

/** How an OpenID provider differs from others. */
export interface OpenIdOptions extends Pick<ProviderClientOptions, 'provider' | 'scopes' | 'parameters'> {
  readonly id: string;
  readonly server: (signal: AbortSignal, ask: SendToProvider) => Promise<OpenIdServer>;
  /** Whether an id token with an address makes the question for user information needless. */
  readonly complete: boolean;
  /** The provider's own rules, in place of the standard claims'. */
  readonly refine?: (
    profile: ProviderProfile,
    found: VerifiedLogin,
  ) => Promise<ProviderProfile> | ProviderProfile;
}

/** A provider that speaks OpenID Connect: the id token is checked, and user information is added to it. */
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
    scopes: options.scopes,
    authorizationUrl: client.authorizationUrl,
    exchange: client.exchange,
    refresh: client.refresh,
    revoke: client.revoke,
    enforceIssuer: async (issuer) => {
      const { issuers, namesItself } = await server(new AbortController().signal);
      if (issuer === null ? !namesItself : issuers.includes(issuer)) return;
      throw refused({ provider }, 'did not send this answer. Log in again.');
    },
    identify: async (tokens, nonce, signal) => {
      const found = await server(signal);
      const rules = { provider, issuers: found.issuers, clientId: block.client_id, nonce, now: ports.now() };
      const key = keys(found.jwks);
      const said = await readIdToken(tokens, { ...rules, keys: key }, options.scopes);
      const enough = said !== null && options.complete && 'email' in said;
      const info =
        enough || found.userinfo === null ? null : await readUserInfo(found.userinfo, tokens, signal);
      const profile = toOpenIdProfile(merge(provider, said, info));
      const seen = { tokens, server: found, keys: key, now: rules.now };
      return toIdentity((await options.refine?.(profile, seen)) ?? profile, block.claim_mappings);
    },
  };
}

type Rules = Parameters<typeof verifyIdToken>[1];

async function readIdToken({ idToken }: UpstreamTokens, rules: Rules, scopes: readonly string[]) {
  if (idToken !== null) return verifyIdToken(idToken, rules);
  if (rules.nonce === null || !scopes.includes('openid')) return null;
  throw refused(rules, 'sent no id token. Log in again.');
}

/** User information counts only about the one whom the id token names (Core, 5.3.2). */
function merge(provider: string, said: JsonObject | null, info: JsonObject | null): JsonObject {
  const claims = { ...said, ...info };
  const same = said === null || info === null || said.sub === info.sub;
  if (same && typeof claims.sub === 'string' && claims.sub !== '') return claims;
  throw refused({ provider }, 'does not say clearly who this is. Log in again.');
}
