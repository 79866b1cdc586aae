import { type LookupAddress, type LookupAllOptions, lookup as lookUp } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request as ask } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { FetchDocument } from '../../../src/auth/types.ts';
import { SvcError } from '../../../src/errors.ts';
import { documentUnavailable, enforceDocument, refuseDocument } from '../../artefact/fetch-document.ts';

/** Replacements for tests: name resolution and the trusted certificates. */
export interface DocumentOptions {
  readonly lookup?: LookupFunction;
  readonly ca?: string;
}

const MAX_BYTES = 5 * 1024;

/**
 * Creates the port that fetches client documents: over https, from public addresses only, without redirects, 5
 * KB at most. It throws `client_invalid` if there is none, and `login_unavailable` if another try may help.
 */
export function createFetchDocument({ lookup = lookUpPublic, ca }: DocumentOptions = {}): FetchDocument {
  return (url, signal) =>
    new Promise((resolve, reject) => {
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (url.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host))) {
        return reject(notPublic());
      }
      const headers = { accept: 'application/json', 'user-agent': 'svc-kit' };
      const options = { lookup, signal, headers, agent: false, ...(ca === undefined ? {} : { ca }) } as const;
      const request = ask(url, options, (response) => {
        read(response).then(resolve, (thrown) => {
          request.destroy();
          reject(thrown);
        });
      });
      request.on('error', (cause) => reject(toDocumentError(cause)));
      request.end();
    });
}

async function read(response: IncomingMessage) {
  const { statusCode = 0, headers } = response;
  enforceDocument(statusCode, headers['content-type']);
  let bytes = 0;
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw refuseDocument('the answer is too large');
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), cacheControl: headers['cache-control'] ?? null };
}

function notPublic(cause?: unknown): SvcError {
  return refuseDocument('it has no public address', cause);
}

/** A name that does not exist has the error of a name that leads inside, so that no caller learns which of those exist. */
function toDocumentError(cause: Error): SvcError {
  if (cause instanceof SvcError) return cause;
  const exists = !('code' in cause && cause.code === 'ENOTFOUND');
  return exists ? documentUnavailable('it cannot be reached', cause) : notPublic(cause);
}

const V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/**
 * The parts of global unicast (2000::/3) that are not public: tunnels, whose ends are hidden, and
 * documentation.
 */
const V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const inside = new BlockList();
for (const [address = '', bits] of V4.map((net) => net.split('/')))
  inside.addSubnet(address, Number(bits), 'ipv4');
for (const [address = '', bits] of V6.map((net) => net.split('/')))
  inside.addSubnet(address, Number(bits), 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** Returns whether an address belongs to the public internet (IANA special-purpose registries). */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !inside.check(address, 'ipv4');
  return isIP(address) === 6 && global.check(address, 'ipv6') && !inside.check(address, 'ipv6');
}

/**
 * A `lookup` that returns public addresses only. The connection itself uses it, so a name cannot resolve to a
 * public address for a check and to a private one for the request.
 */
const lookUpPublic: LookupFunction = (hostname, options, done) => {
  const all: LookupAllOptions = { ...options, all: true };
  lookUp(hostname, all, (error, addresses: LookupAddress[]) => {
    if (error !== null) return done(error, '', 0);
    const [first] = addresses;
    if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
      return done(notPublic(), '', 0);
    }
    if (options.all === true) return done(null, addresses);
    return done(null, first.address, first.family);
  });
};
