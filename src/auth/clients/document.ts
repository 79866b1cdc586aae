import * as v from 'valibot';
import { sha256Base64Url } from '../../crypto/digest.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { keepLatest } from '../../keep-latest.ts';
import { isRegistrable, isUsable } from '../../settings/redirect-uri.ts';
import type { AuthServer, FetchDocument, OAuthClient } from '../types.ts';

/** The fields of a client's metadata document (Client ID Metadata Documents, draft-00, section 4). */
const DOCUMENT = v.object({
  client_id: v.string(),
  client_name: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  redirect_uris: v.pipe(v.array(v.pipe(v.string(), v.maxLength(512))), v.minLength(1), v.maxLength(20)),
  grant_types: v.optional(v.array(v.string())),
  token_endpoint_auth_method: v.optional(v.string()),
  scope: v.optional(v.string()),
  client_secret: v.optional(v.never()),
  client_secret_expires_at: v.optional(v.never()),
});

type Document = v.InferOutput<typeof DOCUMENT>;

const TIMEOUT_MS = 5_000;
const MAX_AGE_S = 86_400;
const MAX_CACHED = 200;
/** Milliseconds for which a document may be used after its time. */
const OUTDATED_MS = 86_400_000;

interface CachedDocument {
  readonly document: Document;
  readonly until: number;
}

const caches = new WeakMap<FetchDocument, Map<string, CachedDocument>>();

/** Whether a client id is the URL of a document: https with a path, and no ambiguous characters. */
export function isDocumentId(id: string): boolean {
  if (!/^https:\/\/[a-z0-9.-]+(:\d{1,5})?\/[\x21-\x7e]+$/i.test(id) || !URL.canParse(id)) return false;
  if (/[#\\@]/.test(id) || /\/\.{1,2}(\/|$|\?)|%2e/i.test(id)) return false;
  return new URL(id).pathname !== '/';
}

/** The choices when a client is found. */
export interface FindOptions {
  readonly signal: AbortSignal;
  /** Whether the last good document may be used for a day if no other can be had. A client then keeps its tokens. */
  readonly outdated: boolean;
}

/**
 * Reads the client whose id is the URL of its document. Throws client_invalid if the document is missing or invalid, and
 * login_unavailable if it cannot be fetched now.
 */
export async function toDocumentClient(
  server: AuthServer,
  id: string,
  options: FindOptions,
): Promise<OAuthClient> {
  const { client_name: name, redirect_uris: redirectUris, ...document } = await find(server, id, options);
  const refreshes = document.grant_types?.includes('refresh_token') ?? false;
  const { basic, all } = server.scopes;
  const own = (document.scope ?? '').split(' ').filter((scope) => all.includes(scope));
  return {
    id,
    hash: await sha256Base64Url(id),
    name,
    kind: 'document',
    redirectUris,
    grantTypes: refreshes ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
    method: 'none',
    scopes: all,
    defaultScopes: own.length > 0 ? own : basic,
  };
}

async function find(server: AuthServer, id: string, { signal, outdated }: FindOptions): Promise<Document> {
  const { fetchDocument, now, log } = server;
  if (fetchDocument === null) throw refused('this server takes no URLs as client ids');
  const cache = caches.get(fetchDocument) ?? new Map<string, CachedDocument>();
  caches.set(fetchDocument, cache);
  const cached = cache.get(id);
  if (cached !== undefined) keepLatest(cache, { key: id, value: cached, most: MAX_CACHED });
  if (cached !== undefined && now() < cached.until) return cached.document;
  try {
    const fresh = await read(fetchDocument, id, { signal, now });
    keepLatest(cache, { key: id, value: fresh, most: MAX_CACHED });
    return fresh.document;
  } catch (thrown) {
    if (!outdated || cached === undefined || now() >= cached.until + OUTDATED_MS) throw thrown;
    const { message } = toSvcError(thrown);
    log({ level: 'warn', message: `the client ${id} keeps its tokens by an earlier document: ${message}` });
    return cached.document;
  }
}

async function read(
  fetchDocument: FetchDocument,
  id: string,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<CachedDocument> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const { text, cacheControl } = await fetchDocument(new URL(id), limited).catch((cause) => {
    if (cause instanceof SvcError && cause.code === 'client_invalid') {
      throw refused('its document could not be fetched', cause);
    }
    throw new SvcError('login_unavailable', 'The document of a client could not be fetched.', { cause });
  });
  return { document: parse(id, text), until: now() + ageOf(cacheControl) * 1000 };
}

function parse(id: string, text: string): Document {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw refused('its document is not JSON');
  }
  const parsed = v.safeParse(DOCUMENT, json);
  if (!parsed.success) throw refused('its document lacks a required field, or contains a secret');
  const { output } = parsed;
  if (output.client_id !== id) throw refused('its document names another client_id');
  if ((output.token_endpoint_auth_method ?? 'none') !== 'none') {
    throw refused('its document names another token_endpoint_auth_method than none');
  }
  const usable = output.redirect_uris.every(isRegistrable) && output.redirect_uris.some(isUsable);
  if (!usable) throw refused('its document has redirect_uris that are not allowed');
  return output;
}

/** The seconds for which a document may be cached: its max-age, at most a day. Default: five minutes. */
function ageOf(cacheControl: string | null): number {
  if (/no-store|no-cache/i.test(cacheControl ?? '')) return 0;
  const age = /max-age=(\d{1,9})/i.exec(cacheControl ?? '')?.[1];
  return age === undefined ? 300 : Math.min(Number(age), MAX_AGE_S);
}

function refused(why: string, cause?: unknown): SvcError {
  return new SvcError('client_invalid', `The client is not accepted: ${why}.`, { cause });
}
