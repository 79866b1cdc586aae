/** The known facts about a server's public address. */
export interface PublicAddress {
  /** The configured address; null for the address that each request names. */
  readonly baseUrl: string | null;
  /** Whether a proxy in front sends the scheme of requests (`X-Forwarded-Proto`). */
  readonly trustProxy: boolean;
  /** `https` if clients use it though requests arrive over http; otherwise the request's own scheme counts. */
  readonly scheme: 'http' | 'https' | null;
}

/** For a server without a proxy, or on a platform whose requests carry their public address. */
export const OWN_ADDRESS: PublicAddress = { baseUrl: null, trustProxy: false, scheme: null };

/**
 * The public address without a trailing slash, such as `https://mcp.example.org`. It is also the issuer of tokens. A trusted
 * proxy replaces the scheme of a `base_url`, but never https. `pathPrefix` is the path that a platform has cut off.
 */
export function publicBase(
  { headers, url }: Request,
  { baseUrl, trustProxy, scheme }: PublicAddress,
  pathPrefix = '',
): string {
  const forwarded = trustProxy ? headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim() : null;
  const proxied = forwarded === 'https' || forwarded === 'http' ? forwarded : null;
  if (baseUrl?.startsWith('https:')) return toBase(baseUrl);
  if (baseUrl !== null) return proxied === 'https' ? toHttps(baseUrl) : toBase(baseUrl);
  const own = new URL(url);
  const reached = own.protocol === 'https:' || scheme === 'https' ? 'https' : 'http';
  const { origin } = new URL(`${proxied ?? reached}://${headers.get('host') ?? own.host}`);
  return `${origin}${pathPrefix}`;
}

/** The host to listen on: an IPv6 address may have the brackets that it has in a URL. */
export function toListenHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** Its port goes if it is the default of https. */
function toHttps(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.protocol = 'https:';
  return toBase(url.href);
}

/** Removes trailing slashes from a `base_url`, so that paths can follow. */
export function toBase(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}
