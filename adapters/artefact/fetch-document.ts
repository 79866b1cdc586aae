import type { FetchDocument } from '../../src/auth/types.ts';
import { SvcError } from '../../src/errors.ts';

const MAX_BYTES = 5 * 1024;
/** Names of private networks. They do not resolve on such a platform, and are rejected all the same. */
const INSIDE = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)\.?$/;

/**
 * Fetches client documents on platforms that reach public addresses only, such as Workers: over https, by name,
 * without redirects, 5 KB at most. Throws `client_invalid` if there is no document, and another error if another try may
 * help.
 */
export const fetchDocument: FetchDocument = async (url, signal) => {
  const named = /[a-z]/.test(url.hostname.split('.').at(-1) ?? '') && url.hostname.includes('.');
  if (url.protocol !== 'https:' || !named || INSIDE.test(url.hostname))
    throw refuseDocument('it has no public address');
  const headers = { accept: 'application/json', 'user-agent': 'svc-kit' };
  const response = await fetch(url, { signal, headers, redirect: 'manual' });
  try {
    enforceDocument(response.status, response.headers.get('content-type'));
  } catch (thrown) {
    await response.body?.cancel();
    throw thrown;
  }
  const [decoder, parts] = [new TextDecoder(), [] as string[]];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw refuseDocument('the answer is too large');
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return { text: parts.join('') + decoder.decode(), cacheControl: response.headers.get('cache-control') };
};

/**
 * Throws `client_invalid` if an answer is no document: it is missing, not JSON, or a redirect, which is not followed. Throws
 * `login_unavailable` for other answers than 200.
 */
export function enforceDocument(status: number, type: string | null | undefined): void {
  const why = `the answer is ${status}`;
  if (status === 404 || status === 410 || (status >= 300 && status < 400)) throw refuseDocument(why);
  if (status !== 200) throw documentUnavailable(why);
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type ?? ''))
    throw refuseDocument('the answer is not JSON');
}

/** The error for a document that no other try gets. */
export function refuseDocument(why: string, cause?: unknown): SvcError {
  return new SvcError('client_invalid', `The client's document cannot be fetched: ${why}.`, { cause });
}

/** The error for a document that another try may get. */
export function documentUnavailable(why: string, cause?: unknown): SvcError {
  return new SvcError('login_unavailable', `The client's document cannot be fetched: ${why}.`, { cause });
}
