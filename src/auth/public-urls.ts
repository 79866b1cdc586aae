import { SvcError } from '../errors.ts';
import { type PublicAddress, publicBase } from '../public-address.ts';
import type { TransportSettings, VerifierBlock } from '../settings/model.ts';
import type { Auth } from './types.ts';

/** The public addresses of this server. */
export interface PublicUrls {
  /** The public address without a slash at the end. */
  readonly issuer: string;
  /** The MCP endpoint, the audience of tokens (RFC 8707). */
  readonly resource: string;
  /** The addresses that clients may use for the MCP endpoint. HTTP+SSE has its own. */
  readonly aliases: readonly string[];
  /** The alias that the request came to. */
  readonly entry: string;
  /** The address that the identity provider redirects browsers to. */
  readonly callback: string;
  /** Whether the issuer is https, so that cookies may be Secure. */
  readonly secure: boolean;
}

/** The settings that determine the public addresses. */
type PublicUrlSettings = Pick<TransportSettings['http'], 'base_url' | 'trust_proxy' | 'scheme'>;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** The most cached addresses. Without `base_url` they come from the Host header. */
const MAX_CACHED = 64;

/** Whether a host name is this machine's. */
function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Whether an address to listen on is this machine's only. */
function isLocal(host: string): boolean {
  return isLoopback(host) || host === '::1';
}

/** The options that all public addresses of a server share. */
export interface PublicUrlOptions {
  readonly callbackPath: string;
  /** Whether the server offers the HTTP+SSE transport. */
  readonly sse: boolean;
}

/**
 * Returns a function that finds the public addresses of a request. It throws request_invalid for http from another
 * machine (OAuth 2.1, 1.5).
 */
export function createPublicUrls(
  settings: PublicUrlSettings,
  options: PublicUrlOptions,
): (request: Request) => PublicUrls {
  const { base_url, trust_proxy, scheme } = settings;
  const address = { baseUrl: base_url, trustProxy: trust_proxy, scheme };
  const cached = new Map<string, PublicUrls>();
  return (request) => {
    const issuer = publicBase(request, address);
    const entry = `${issuer}${options.sse && isOverSse(request) ? '/sse' : '/mcp'}`;
    const found = cached.get(entry);
    if (found !== undefined) return found;
    const urls = toPublicUrls(issuer, entry, options);
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(entry, urls);
    return urls;
  };
}

/** Whether a path belongs to HTTP+SSE: its stream, its messages, or the metadata of both. */
function isOverSse({ url }: Request): boolean {
  return /\/(sse|messages)\/?$/.test(new URL(url).pathname);
}

function toPublicUrls(issuer: string, entry: string, { callbackPath, sse }: PublicUrlOptions): PublicUrls {
  const { protocol, hostname } = new URL(issuer);
  const secure = protocol === 'https:';
  if (secure || isLoopback(hostname)) {
    const resource = `${issuer}/mcp`;
    const aliases = sse ? [resource, `${issuer}/sse`] : [resource];
    return { issuer, resource, aliases, entry, callback: `${issuer}${callbackPath}`, secure };
  }
  throw new SvcError('request_invalid', 'Tokens need https: this server was reached over http.');
}

/**
 * The address that the process listens on. Null if the platform provides https and routes by the host. Its host is null if
 * a program around the app listens, so that only requests show the address.
 */
export type Listens = { readonly host: string | null } | null;

/** Throws config_invalid if the public address would be http on another machine. */
export function enforcePublicUrls(
  { base_url, trust_proxy, scheme }: PublicUrlSettings,
  listens: Listens,
): void {
  if (base_url?.startsWith('https:') || trust_proxy || scheme === 'https') return;
  const host = base_url === null ? (listens?.host ?? null) : new URL(base_url).hostname;
  if (host === null || isLocal(host)) return;
  throw new SvcError(
    'config_invalid',
    `Callers need tokens, but clients would reach the server over http at ${host}, where others can read their tokens.
Set \`transport.http.base_url\` to its public https address, or \`transport.http.trust_proxy: true\` behind a proxy that sends X-Forwarded-Proto.`,
  );
}

/**
 * Throws config_invalid if a request's host would be the audience of tokens: another server that has a user's token could
 * use it here, with its own name as the host (RFC 8707, 2). Platforms route by the host, so there it is the server's own.
 */
export function enforceKnownAudience(
  { audience }: Pick<VerifierBlock, 'audience'>,
  { base_url, allowed_hosts }: Pick<TransportSettings['http'], 'base_url' | 'allowed_hosts'>,
  listens: Listens,
): void {
  if (audience.length > 0 || base_url !== null || listens === null) return;
  const local = listens.host !== null && isLocal(listens.host);
  const isOpen = allowed_hosts === null ? !local : allowed_hosts.includes('*');
  if (!isOpen) return;
  throw new SvcError(
    'config_invalid',
    `The server does not know its own address, so it would accept tokens for any server that a request names as its host.
Set \`auth.verifier.audience\` or \`transport.http.base_url\`, or list its names under \`transport.http.allowed_hosts\`.`,
  );
}

/**
 * Throws config_invalid if clients cannot sign in because a platform serves the app below a path only. Clients look for the
 * metadata of sign-in at the root of the host (RFC 8414, 3.1; RFC 9728, 3.1), which the platform does not pass on.
 */
export function enforceServedMetadata(
  { keysOnly = false }: Pick<Auth, 'keysOnly'>,
  pathPrefix: string | null,
  { baseUrl }: Pick<PublicAddress, 'baseUrl'>,
): void {
  if (keysOnly || pathPrefix === null || baseUrl !== null) return;
  throw new SvcError(
    'config_invalid',
    `Clients cannot sign in below ${pathPrefix}: they look for the metadata of sign-in outside of it, at the root of the host.
Serve the function on the stage \`$default\` of API Gateway, or set \`transport.http.base_url\` to the address of a proxy that passes all paths on to it.`,
  );
}
