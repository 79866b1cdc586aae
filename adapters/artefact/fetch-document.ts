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
    throw refuse('its address is not public');
  const headers = { accept: 'application/json', 'user-agent': 'svc-kit' };
  const response = await fetch(url, { signal, headers, redirect: 'manual' });
  const type = response.headers.get('content-type') ?? '';
  if (![200, 404, 410].includes(response.status)) {
    await response.body?.cancel();
    const text = `The client's document cannot be fetched: the answer is ${response.status}.`;
    throw new SvcError('login_unavailable', text);
  }
  if (response.status !== 200 || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    await response.body?.cancel();
    throw refuse('the answer is not JSON');
  }
  const [decoder, parts] = [new TextDecoder(), [] as string[]];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw refuse('the answer is too large');
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return { text: parts.join('') + decoder.decode(), cacheControl: response.headers.get('cache-control') };
};

function refuse(why: string): SvcError {
  return new SvcError('client_invalid', `The client's document cannot be fetched: ${why}.`);
}
