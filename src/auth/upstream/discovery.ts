import { isObject, type JsonObject, textOf } from '../../json.ts';
import { misconfigured, type ProviderStep, unavailable } from './errors.ts';
import { createRecentFailure } from './recent-failure.ts';
import { type SendToProvider, toAnswerFailure } from './request.ts';

const HOUR_MS = 3_600_000;
/** Milliseconds before the next try if discovery failed while a cached document exists. */
const RETRY_MS = 60_000;

/** The places of a discovery document, and the issuer that it must name. */
interface DiscoveryOptions {
  readonly provider: string;
  /** The issuer, exactly as in `iss`. */
  readonly issuer: string;
  /** The addresses of the document; the next one is tried after a 404. */
  readonly urls: readonly string[];
  readonly now: () => number;
}

/** Returns a server's discovery document (OpenID Connect Discovery 1.0, RFC 8414). */
type Discover = (signal: AbortSignal, ask: SendToProvider) => Promise<JsonObject>;

/**
 * Reads a discovery document and caches it for an hour. If the server fails then, the cached document stays in use. Without
 * one, the failure is cached for some seconds.
 */
export function createDiscovery(options: DiscoveryOptions): Discover {
  let cached: { readonly until: number; readonly document: JsonObject } | null = null;
  const unlessFailed = createRecentFailure(options.now);
  // Requests do not share the promise, because a request in a Worker may not wait for another's.
  return async (signal, ask) => {
    if (cached !== null && options.now() < cached.until) return cached.document;
    try {
      const document = await unlessFailed(() => readDocument(options, signal, ask));
      cached = { document, until: options.now() + HOUR_MS };
    } catch (thrown) {
      if (cached === null) throw thrown;
      cached = { ...cached, until: options.now() + RETRY_MS };
    }
    return cached.document;
  };
}

async function readDocument(
  { provider, issuer, urls }: DiscoveryOptions,
  signal: AbortSignal,
  ask: SendToProvider,
): Promise<JsonObject> {
  const step: ProviderStep = { provider, what: 'its discovery document' };
  for (const [index, url] of urls.entries()) {
    const answer = await ask({ ...step, url, signal });
    if (answer.status === 404 && index + 1 < urls.length) continue;
    if (answer.status >= 300) throw toAnswerFailure(answer, step);
    if (!isObject(answer.body)) throw unavailable(step, 'sent a response that is not a JSON object');
    enforceDocument(answer.body, provider, issuer);
    return answer.body;
  }
  throw misconfigured({ provider }, 'has no discovery document. Set its addresses.');
}

const ADDRESSES = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
];

function enforceDocument(document: JsonObject, provider: string, issuer: string): void {
  const name = textOf(document, 'issuer') ?? '';
  if (withoutSlash(name) !== withoutSlash(issuer)) {
    throw misconfigured({ provider }, `names another issuer than ${issuer}. Set the issuer that it names.`);
  }
  const secure = issuer.startsWith('https:');
  const wrong = ADDRESSES.filter((key) => {
    const value = document[key];
    if (value === undefined || value === null) return false;
    return (
      typeof value !== 'string' || !URL.canParse(value) || !(secure ? /^https:/ : /^https?:/).test(value)
    );
  });
  if (wrong.length === 0) return;
  throw misconfigured({ provider }, `has invalid addresses in its discovery document: ${wrong.join(', ')}.`);
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '');
