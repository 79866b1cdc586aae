/** What is known about the address under which the world reaches a server. */
export interface PublicAddress {
  /** Null: it is the one that each request was sent to. */
  readonly baseUrl: string | null;
  /** Whether a proxy in front says by which scheme requests came (`X-Forwarded-Proto`). */
  readonly trustProxy: boolean;
  /** Where neither of them says so; null: the request's own. */
  readonly scheme: 'http' | 'https' | null;
}

/** Of a server that is reached directly, or by a platform whose requests carry their true address. */
export const OWN_ADDRESS: PublicAddress = { baseUrl: null, trustProxy: false, scheme: null };

/** The public address without a slash at its end, such as `https://mcp.example.org`. */
export function publicBase(request: Request, { baseUrl, trustProxy, scheme }: PublicAddress): string {
  if (baseUrl !== null) return toBase(baseUrl);
  const { protocol, host } = new URL(request.url);
  const forwarded = trustProxy ? request.headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim() : null;
  const known = forwarded === 'https' || forwarded === 'http' ? forwarded : scheme;
  return `${known ?? protocol.slice(0, -1)}://${host}`;
}

/** A `base_url` as paths are put behind it. */
export function toBase(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}
