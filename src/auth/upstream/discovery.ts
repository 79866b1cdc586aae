import { isObject, type JsonObject } from '../../json.ts';
import { misconfigured, type ProviderStep, unavailable } from './errors.ts';
import { textOf } from './field.ts';
import type { SendToProvider } from './request.ts';
import { toReadFailure } from './userinfo.ts';

const HOUR_MS = 3_600_000;
/** So long a server that is away is left alone, where an older description is there. */
const REST_MS = 60_000;
const SUFFIX = '/.well-known/openid-configuration';

/** Where to look for a server's own description, and by which name it must call itself. */
export interface DiscoveryOptions {
  readonly provider: string;
  /** As `iss` has it. */
  readonly issuer: string;
  /** Tried in order; the next one where there is nothing. */
  readonly urls: readonly string[];
  readonly now: () => number;
}

/** A server's description (OpenID Connect Discovery 1.0, RFC 8414). */
export type Discover = (signal: AbortSignal, ask: SendToProvider) => Promise<JsonObject>;

/** Reads a server's description and keeps it for an hour; a server that is away then changes nothing. */
export function createDiscovery(options: DiscoveryOptions): Discover {
  let known: { readonly until: number; readonly document: JsonObject } | null = null;
  // the promise is not shared: a Worker's request may not wait for another's
  return async (signal, ask) => {
    if (known !== null && options.now() < known.until) return known.document;
    try {
      known = { document: await readDocument(options, signal, ask), until: options.now() + HOUR_MS };
    } catch (thrown) {
      if (known === null) throw thrown;
      known = { ...known, until: options.now() + REST_MS };
    }
    return known.document;
  };
}

/** The issuer that the address of a description belongs to. */
export function issuerOf(configUrl: string): string {
  return configUrl.endsWith(SUFFIX) ? configUrl.slice(0, -SUFFIX.length) : configUrl.replace(/\/+$/, '');
}

/** The address of an issuer's OpenID description. */
export function openIdUrl(issuer: string): string {
  return `${issuer.replace(/\/+$/, '')}${SUFFIX}`;
}

async function readDocument(
  { provider, issuer, urls }: DiscoveryOptions,
  signal: AbortSignal,
  ask: SendToProvider,
): Promise<JsonObject> {
  const step: ProviderStep = { provider, what: 'its description' };
  for (const [index, url] of urls.entries()) {
    const answer = await ask({ ...step, url, signal });
    if (answer.status === 404 && index + 1 < urls.length) continue;
    if (answer.status >= 300) throw toReadFailure(answer, step);
    if (!isObject(answer.body)) throw unavailable(step, 'sent something that is no JSON object');
    enforceDocument(answer.body, provider, issuer);
    return answer.body;
  }
  throw misconfigured({ provider }, 'has no description. Give its addresses.');
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
    throw misconfigured({ provider }, `calls itself by another name than ${issuer}. Give its own.`);
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
  throw misconfigured({ provider }, `describes itself with addresses that are none: ${wrong.join(', ')}.`);
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '');
