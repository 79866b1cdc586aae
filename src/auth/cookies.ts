import { checksumOf, randomText } from '../crypto/digest.ts';
import type { PublicUrls } from './public-urls.ts';

/**
 * The kinds of cookies of a login. `browser` ties a consent page to its browser, `tx` holds one login attempt, `consent`
 * and `sessions` keep what the browser has allowed and opened. A browser may hold several of each kind, with ids behind
 * the kind, so that answers to two tabs do not overwrite each other's cookie.
 */
type CookieKind = 'browser' | 'consent' | 'sessions' | 'tx';

/** A cookie that the browser sent. */
export interface Cookie {
  readonly kind: CookieKind;
  readonly id: string;
  readonly value: string;
}

/** The most characters of a value: browsers drop cookies above 4,096 bytes. */
export const MAX_COOKIE = 3_800;

/**
 * The name of a cookie up to its id. Browsers send all cookies of a host to each of its servers, at any port and path, so
 * the name has a checksum of the issuer.
 */
function cookiePrefix({ secure, issuer }: PublicUrls, kind: CookieKind): string {
  return `${secure ? '__Host-' : ''}svc-${checksumOf(issuer)}-${kind}-`;
}

/** Reads the cookies of a kind, the oldest first (RFC 6265, 5.4). */
export function readCookies({ headers }: Request, urls: PublicUrls, kind: CookieKind): readonly Cookie[] {
  const prefix = cookiePrefix(urls, kind);
  return cookiesOf(headers).flatMap(([name, value]) =>
    name.startsWith(prefix) ? [{ kind, id: name.slice(prefix.length), value }] : [],
  );
}

/** Makes a `Set-Cookie` header. */
export function setCookie(urls: PublicUrls, { kind, id, value }: Cookie, seconds: number): string {
  const secure = urls.secure ? '; Secure' : '';
  return `${cookiePrefix(urls, kind)}${id}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}; Max-Age=${seconds}`;
}

/** Makes `Set-Cookie` headers that remove cookies. */
export function clearCookies(urls: PublicUrls, cookies: readonly Omit<Cookie, 'value'>[]): readonly string[] {
  return cookies.map((cookie) => setCookie(urls, { ...cookie, value: '' }, 0));
}

/**
 * Makes `Set-Cookie` headers that replace the cookies that a request had by one with a new id. An answer that crosses
 * this one then removes the same cookies and adds its own, and the next request has both.
 */
export function replaceCookies(
  urls: PublicUrls,
  read: readonly Cookie[],
  { kind, value }: Omit<Cookie, 'id'>,
  seconds: number,
): readonly string[] {
  return [...clearCookies(urls, read), setCookie(urls, { kind, id: randomText(8), value }, seconds)];
}

function cookiesOf(headers: Headers): readonly (readonly [string, string])[] {
  return (headers.get('cookie') ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
  });
}
