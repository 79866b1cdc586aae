import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { SvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { misconfigured, refused } from './errors.ts';
import { textOf } from './field.ts';

/** Public-key signatures only: nobody who knows the client's secret can make an id token. */
export const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const TOLERANCE_SECONDS = 30;

/** What an id token must be. */
export interface IdTokenRules {
  readonly provider: string;
  readonly issuers: readonly string[];
  readonly clientId: string;
  /** Null after a refresh. */
  readonly nonce: string | null;
  readonly keys: JWTVerifyGetKey;
  /** Milliseconds. */
  readonly now: number;
}

/** The claims of an id token whose signature, issuer, audience, time and nonce are right (OpenID Connect Core, 3.1.3.7). */
export async function verifyIdToken(token: string, rules: IdTokenRules): Promise<JsonObject> {
  const claims = await verify(token, rules);
  const { nonce, clientId, provider } = rules;
  const party = textOf(claims, 'azp');
  const several = Array.isArray(claims.aud) && claims.aud.length > 1;
  if ((party ?? (several ? null : clientId)) !== clientId) throw bad(provider, 'azp');
  if (nonce !== null && claims.nonce !== nonce) throw bad(provider, 'nonce');
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
    // a payload is what JSON.parse gave
    return payload as JsonObject;
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    if (thrown instanceof errors.JWTClaimValidationFailed && thrown.claim === 'iss') {
      throw misconfigured({ provider }, `sent an id token of another issuer. ${ISSUER_FIX}`);
    }
    const claim = thrown instanceof errors.JWTClaimValidationFailed ? thrown.claim : null;
    throw bad(provider, claim ?? (thrown instanceof errors.JOSEError ? thrown.code : 'form'));
  }
}

const ISSUER_FIX = 'Give the address by which the provider calls itself.';

function bad(provider: string, what: string): SvcError {
  return refused({ provider }, `sent an id token that is not good (${what}). Log in again.`);
}
