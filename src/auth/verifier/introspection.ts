import { sha256Base64Url } from '../../crypto/digest.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { VerifierBlock } from '../../settings/model.ts';
import { basic } from '../upstream/basic.ts';
import { misconfigured, type ProviderStep, unavailable } from '../upstream/errors.ts';
import type { ProviderResponse, SendToProvider } from '../upstream/request.ts';

/** The claims of an active token; null for any other. */
export type Introspect = (token: string, url: string, signal: AbortSignal) => Promise<JsonObject | null>;

/** So long a revoked token may still count. */
const ACTIVE_MS = 60_000;
/** So long a token that was refused is not asked about again. */
const INACTIVE_MS = 10_000;
const MAX_KEPT = 1_000;

interface Kept {
  readonly claims: JsonObject | null;
  readonly until: number;
}

/** Asks about tokens (RFC 7662), and remembers the answers for a while, by the tokens' hashes. */
export function createIntrospect(
  block: VerifierBlock,
  provider: string,
  ask: SendToProvider,
  now: () => number,
): Introspect {
  const kept = new Map<string, Kept>();
  return async (token, url, signal) => {
    const key = await sha256Base64Url(token);
    const known = kept.get(key);
    if (known !== undefined && now() < known.until) return known.claims;
    const step: ProviderStep = { provider, what: 'a token' };
    const answer = await ask({ ...step, ...toRequest(block, token), url, signal });
    const claims = toClaims(answer, step, now());
    kept.delete(key);
    kept.set(key, { claims, until: now() + (claims === null ? INACTIVE_MS : ACTIVE_MS) });
    if (kept.size > MAX_KEPT) dropOldest(kept);
    return claims;
  };
}

function toRequest({ client_id = '', client_secret }: VerifierBlock, token: string) {
  const form = { token, token_type_hint: 'access_token', ...(client_secret ? {} : { client_id }) };
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(client_secret && { authorization: basic(client_id, client_secret) }),
    },
    body: new URLSearchParams(form).toString(),
  } as const;
}

function toClaims({ status, body }: ProviderResponse, step: ProviderStep, now: number): JsonObject | null {
  if (status === 401 || status === 403) {
    throw misconfigured(
      step,
      `does not let this client ask about tokens (${status}). Check client_id and client_secret.`,
    );
  }
  if (status >= 300) throw unavailable(step, `answered ${status}`);
  if (!isObject(body) || typeof body.active !== 'boolean') {
    throw unavailable(step, 'sent something that is no answer to an introspection');
  }
  // a server need not say when a token ends; then the next answer does
  return body.active ? { exp: Math.floor((now + ACTIVE_MS) / 1000), ...body } : null;
}

/** A map keeps the order in which entries came. */
function dropOldest(kept: Map<string, Kept>): void {
  for (const key of kept.keys()) {
    kept.delete(key);
    return;
  }
}
