/** The known facts about a server's public address. */
export interface PublicAddress {
  /** The configured address; null for the address that each request names. */
  readonly baseUrl: string | null;
  /** Whether a proxy in front sends the scheme of requests (`X-Forwarded-Proto`). */
  readonly trustProxy: boolean;
  /** The scheme if neither of them states it; null for the request's own. */
  readonly scheme: 'http' | 'https' | null;
}

/** For a server without a proxy, or on a platform whose requests carry their public address. */
export const OWN_ADDRESS: PublicAddress = { baseUrl: null, trustProxy: false, scheme: null };

/** The public address without a trailing slash, such as `https://mcp.example.org`. */
export function publicBase(request: Request, { baseUrl, trustProxy, scheme }: PublicAddress): string {
  if (baseUrl !== null) return toBase(baseUrl);
  const { protocol, host } = new URL(request.url);
  const forwarded = trustProxy ? request.headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim() : null;
  const proxied = forwarded === 'https' || forwarded === 'http' ? forwarded : scheme;
  return `${proxied ?? protocol.slice(0, -1)}://${host}`;
}

/** Removes trailing slashes from a `base_url`, so that paths can follow. */
export function toBase(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}
