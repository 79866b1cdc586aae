import { sha256Base64Url } from '../../crypto/digest.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { keepLatest } from '../../keep-latest.ts';
import type { VerifierBlock } from '../../settings/model.ts';
import { misconfigured, type ProviderStep, unavailable } from '../upstream/errors.ts';
import { basicAuthorization, type ProviderResponse, type SendToProvider } from '../upstream/request.ts';

/** The introspection endpoint, and the way to ask it. */
interface IntrospectionRequest {
  readonly url: string;
  readonly ask: SendToProvider;
  readonly signal: AbortSignal;
}

/** Returns the claims of an active token; null for any other token. */
export type Introspect = (token: string, request: IntrospectionRequest) => Promise<JsonObject | null>;

/** Milliseconds for which an active token is cached. A revoked token may be accepted for this time. */
const ACTIVE_MS = 60_000;
/** Milliseconds for which a rejected token is cached. */
const INACTIVE_MS = 10_000;
/** The most answers about active tokens, and the most about rejected ones. */
const MAX_CACHED = 1_000;

interface CachedAnswer {
  readonly claims: JsonObject | null;
  readonly until: number;
}

/**
 * Introspects tokens (RFC 7662) and caches the answers by the tokens' hashes. Those about active and about rejected tokens
 * are apart, so that a sender of invented tokens pushes out no others.
 */
export function createIntrospect(block: VerifierBlock, provider: string, now: () => number): Introspect {
  const active = new Map<string, CachedAnswer>();
  const rejected = new Map<string, CachedAnswer>();
  return async (token, { url, ask, signal }) => {
    const key = await sha256Base64Url(token);
    const answered = active.get(key) ?? rejected.get(key);
    if (answered !== undefined && now() < answered.until) return answered.claims;
    const step: ProviderStep = { provider, what: 'a token' };
    const answer = await ask({ ...step, ...toRequest(block, token), url, signal });
    const claims = readAnswer(answer, step);
    active.delete(key);
    rejected.delete(key);
    const [kept, ms] = claims === null ? [rejected, INACTIVE_MS] : [active, ACTIVE_MS];
    keepLatest(kept, { key, value: { claims, until: now() + ms }, most: MAX_CACHED });
    return claims;
  };
}

function toRequest({ client_id = '', client_secret }: VerifierBlock, token: string) {
  const form = { token, token_type_hint: 'access_token', ...(client_secret ? {} : { client_id }) };
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(client_secret && { authorization: basicAuthorization(client_id, client_secret) }),
    },
    body: new URLSearchParams(form).toString(),
  } as const;
}

function readAnswer({ status, body }: ProviderResponse, step: ProviderStep): JsonObject | null {
  if (status === 401 || status === 403) {
    throw misconfigured(
      step,
      `does not let this client ask about tokens (${status}). Check client_id and client_secret.`,
    );
  }
  if (status >= 300) throw unavailable(step, `answered ${status}`);
  if (!isObject(body) || typeof body.active !== 'boolean') {
    throw unavailable(step, 'sent an invalid introspection response');
  }
  // Servers may omit `exp`; then the claims are valid until the next introspection.
  return body.active ? { exp: Number.POSITIVE_INFINITY, ...body } : null;
}
