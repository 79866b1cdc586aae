import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTVerifyGetKey,
  jwtVerify,
  type RemoteJWKSet,
} from 'jose';
import { SvcError } from '../../errors.ts';
import { isObject, type JsonObject, objectsOf, textOf } from '../../json.ts';
import { misconfigured, refused, unavailable } from './errors.ts';
import { createRecentFailure } from './recent-failure.ts';
import type { ProviderRequest, SendToProvider } from './request.ts';

/** Public-key signatures only, so that the client secret cannot sign an id token. */
export const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const TOLERANCE_SECONDS = 30;

/** The expected values of an id token. */
interface IdTokenRules {
  readonly provider: string;
  readonly issuers: readonly string[];
  readonly clientId: string;
  /** The nonce of the login. Null after a refresh. */
  readonly nonce: string | null;
  readonly keys: JWTVerifyGetKey;
  /** The time in milliseconds. */
  readonly now: number;
}

/**
 * Verifies signature, issuer, audience, time and nonce of an id token, and returns its claims (OpenID Connect Core,
 * 3.1.3.7). Throws login_refused, config_invalid for another issuer, or login_unavailable for an unknown key.
 */
export async function verifyIdToken(token: string, rules: IdTokenRules): Promise<JsonObject> {
  const claims = await verify(token, rules);
  const { nonce, clientId, provider } = rules;
  const party = textOf(claims, 'azp');
  const several = Array.isArray(claims.aud) && claims.aud.length > 1;
  if ((party ?? (several ? null : clientId)) !== clientId) throw invalid(provider, 'azp');
  if (nonce !== null && claims.nonce !== nonce) throw invalid(provider, 'nonce');
  return claims;
}

async function verify(token: string, { keys, issuers, clientId, now, provider }: IdTokenRules) {
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer: [...issuers],
      audience: clientId,
      requiredClaims: ['iss', 'aud', 'exp', 'iat', 'sub'],
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(now),
    });
    // A payload is parsed JSON.
    return payload as JsonObject;
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    if (thrown instanceof errors.JWTClaimValidationFailed && thrown.claim === 'iss') {
      throw misconfigured({ provider }, `sent an id token of another issuer. ${ISSUER_FIX}`);
    }
    // The provider may have changed its keys within the cooldown.
    if (thrown instanceof errors.JWKSNoMatchingKey) {
      throw unavailable({ provider, what: 'its keys' }, 'did not show the key of an id token');
    }
    const claim = thrown instanceof errors.JWTClaimValidationFailed ? thrown.claim : null;
    throw invalid(provider, claim ?? (thrown instanceof errors.JOSEError ? thrown.code : 'form'));
  }
}

const ISSUER_FIX = 'Set the issuer that the provider names.';

function invalid(provider: string, what: string): SvcError {
  return refused({ provider }, `sent an invalid id token (${what}). Log in again.`);
}

/** The time at which an id token expires by its own word; seconds since 1970, null if it names none. */
export function expiryOf(token: string): number | null {
  try {
    return decodeJwt(token).exp ?? null;
  } catch {
    return null;
  }
}

const TEN_MINUTES_MS = 600_000;
/** The least milliseconds between two requests for the keys, which an unknown key id triggers. */
const COOLDOWN_MS = 30_000;
const MAX_KEYS = 100;

/** Returns the keys at an address, which discovery may change. Only the keys of the latest address are cached. */
export function createKeysAt(provider: string, ask: SendToProvider): (url: string) => RemoteJWKSet {
  let last: { readonly url: string; readonly keys: RemoteJWKSet } | null = null;
  return (url) => {
    last = last?.url === url ? last : { url, keys: createKeys(provider, url, ask) };
    return last.keys;
  };
}

/** A provider's public keys (RFC 7517), cached for ten minutes. */
export function createKeys(provider: string, url: string, ask: SendToProvider): RemoteJWKSet {
  const unlessFailed = createRecentFailure(Date.now);
  const cached: RemoteJWKSet = createRemoteJWKSet(new URL(url), {
    cacheMaxAge: TEN_MINUTES_MS,
    cooldownDuration: COOLDOWN_MS,
    [customFetch]: async (target, { signal }) => {
      const read = () => readKeys({ provider, what: 'its keys', url: target, signal }, ask);
      // While there are keys, a token of an unknown key asks for others. Many such tokens make one request that fails.
      return Response.json({ keys: await (cached.fresh ? unlessFailed(read) : read()) });
    },
  });
  return cached;
}

async function readKeys(request: ProviderRequest, ask: SendToProvider): Promise<readonly JsonObject[]> {
  const { status, body } = await ask(request);
  const keys = isObject(body) ? objectsOf(body.keys) : [];
  if (status !== 200 || keys.length === 0) throw unavailable(request, `answered ${status} without keys`);
  if (keys.length > MAX_KEYS) throw unavailable(request, `sent more than ${MAX_KEYS} keys`);
  return keys;
}
