import { SvcError } from '../errors.ts';
import type { TransportSettings } from '../settings/model.ts';

/** Where this server is for the world: everything that names it comes from here. */
export interface PublicUrls {
  /** The public address without a slash at the end. */
  readonly issuer: string;
  /** The MCP endpoint, which tokens are for (RFC 8707). */
  readonly resource: string;
  /** What a client may call it: the transport sse has an address of its own. */
  readonly aliases: readonly string[];
  /** The one of these that a request came to, or asks about. */
  readonly entry: string;
  /** Where the identity provider sends people back to. */
  readonly callback: string;
  /** https, so that cookies may be Secure. */
  readonly secure: boolean;
  readonly port: string;
}

/** What decides on it. */
export type PublicUrlSettings = Pick<TransportSettings['http'], 'base_url' | 'trust_proxy' | 'scheme'>;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** Without `base_url` places come from the Host header, so those that are remembered are bounded. */
const REMEMBERED = 64;

/** Whether a name is one of this machine. */
function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** What all places of a server have in common. */
export interface PublicUrlOptions {
  readonly callbackPath: string;
  /** Whether the transport sse is offered. */
  readonly sse: boolean;
}

/** Where a request has reached this server; throws request_invalid over http from elsewhere (OAuth 2.1, 1.5). */
export function createPublicUrls(
  settings: PublicUrlSettings,
  parts: PublicUrlOptions,
): (request: Request) => PublicUrls {
  const cached = new Map<string, PublicUrls>();
  return (request) => {
    const issuer = issuerOf(settings, request);
    const entry = `${issuer}${parts.sse && isOverSse(request) ? '/sse' : '/mcp'}`;
    const known = cached.get(entry);
    if (known !== undefined) return known;
    const urls = toPublicUrls(issuer, entry, parts);
    if (cached.size >= REMEMBERED) cached.clear();
    cached.set(entry, urls);
    return urls;
  };
}

/** Its stream, its messages, and the metadata of both. */
function isOverSse({ url }: Request): boolean {
  return /\/(sse|messages)\/?$/.test(new URL(url).pathname);
}

function issuerOf({ base_url, trust_proxy, scheme }: PublicUrlSettings, { headers, url }: Request): string {
  const forwarded = trust_proxy ? headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim() : undefined;
  const proxied = forwarded === 'https' || forwarded === 'http' ? forwarded : null;
  if (base_url?.startsWith('https:')) return base_url;
  if (base_url !== null) return proxied === null ? base_url : base_url.replace(/^http/, proxied);
  const own = new URL(url);
  const host = headers.get('host') ?? own.host;
  const reached = own.protocol === 'https:' || scheme === 'https' ? 'https' : 'http';
  return new URL(`${proxied ?? reached}://${host}`).origin;
}

function toPublicUrls(issuer: string, entry: string, { callbackPath, sse }: PublicUrlOptions): PublicUrls {
  const { protocol, hostname, port } = new URL(issuer);
  const secure = protocol === 'https:';
  if (secure || isLoopback(hostname)) {
    const resource = `${issuer}/mcp`;
    const aliases = sse ? [resource, `${issuer}/sse`] : [resource];
    return { issuer, resource, aliases, entry, callback: `${issuer}${callbackPath}`, secure, port };
  }
  throw new SvcError('request_invalid', 'Signing in needs https: this server was reached over http.');
}

/** Throws config_invalid where clients would be told addresses that cannot be used safely. */
export function enforcePublicUrls(
  { base_url, trust_proxy, scheme }: PublicUrlSettings,
  listens: { readonly host: string } | null,
): void {
  if (base_url?.startsWith('https:') || trust_proxy || scheme === 'https') return;
  const host = base_url === null ? (listens?.host ?? 'localhost') : new URL(base_url).hostname;
  if (isLoopback(host) || host === '::1') return;
  throw new SvcError(
    'config_invalid',
    `\`auth.provider\` is set, and the server would be reached over http at ${host}, where tokens can be read on the way.
Set \`transport.http.base_url\` to its public https address, or \`transport.http.trust_proxy: true\` behind a proxy that sends X-Forwarded-Proto.`,
  );
}
