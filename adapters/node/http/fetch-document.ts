import type { IncomingMessage } from 'node:http';
import { request as ask } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { FetchDocument } from '../../../src/auth/types.ts';
import { SvcError } from '../../../src/errors.ts';
import { isPublicAddress, lookUpPublic } from './public-address.ts';

/** Replacements for tests: name resolution and the trusted certificates. */
export interface DocumentOptions {
  readonly lookup?: LookupFunction;
  readonly ca?: string;
}

const MAX_BYTES = 5 * 1024;

/**
 * Creates the port that fetches client documents: over https, from public addresses only, without redirects, 5
 * KB at most. It throws `client_invalid`.
 */
export function createFetchDocument({ lookup = lookUpPublic, ca }: DocumentOptions = {}): FetchDocument {
  return (url, signal) =>
    new Promise((resolve, reject) => {
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (url.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host))) {
        return reject(refuse('its address is not public'));
      }
      const headers = { accept: 'application/json', 'user-agent': 'svc-kit' };
      const options = { lookup, signal, headers, agent: false, ...(ca === undefined ? {} : { ca }) } as const;
      const request = ask(url, options, (response) => {
        read(response).then(resolve, (thrown) => {
          request.destroy();
          reject(thrown);
        });
      });
      request.on('error', (cause) => reject(refuse('it cannot be reached', cause)));
      request.end();
    });
}

async function read(response: IncomingMessage) {
  const { statusCode, headers } = response;
  if (statusCode !== 200) throw refuse(`the answer is ${statusCode}`);
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw refuse('the answer is not JSON');
  }
  let bytes = 0;
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw refuse('the answer is too large');
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), cacheControl: headers['cache-control'] ?? null };
}

function refuse(why: string, cause?: unknown): SvcError {
  return new SvcError('client_invalid', `The client's document cannot be fetched: ${why}.`, { cause });
}
