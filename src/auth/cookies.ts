import type { PublicUrls } from './public-urls.ts';

/**
 * The cookies of a login. `browser` ties a consent page to its browser, `tx-<state>` holds one login attempt, `consent`
 * and `sessions` keep what the browser has allowed and opened.
 */
type CookieName = 'browser' | 'consent' | 'sessions' | `tx-${string}`;

/** The most characters of a value: browsers drop cookies above 4,096 bytes. */
export const MAX_COOKIE = 3_800;

/** The full name of a cookie. On this machine it includes the port, because cookies ignore ports. */
function cookieName({ secure, port }: PublicUrls, name: CookieName): string {
  return secure ? `__Host-svc-${name}` : `svc${port}-${name}`;
}

/** Reads a cookie; null if the browser did not send it. */
export function readCookie({ headers }: Request, urls: PublicUrls, name: CookieName): string | null {
  const wanted = cookieName(urls, name);
  return cookiesOf(headers).find(([found]) => found === wanted)?.[1] ?? null;
}

/** The states of the browser's login attempts, the oldest first (RFC 6265, 5.4). */
export function readLoginStates({ headers }: Request, urls: PublicUrls): readonly string[] {
  const prefix = cookieName(urls, 'tx-');
  return cookiesOf(headers).flatMap(([name]) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}

/** Makes a `Set-Cookie` header. With null seconds the cookie lasts until the browser closes. */
export function setCookie(urls: PublicUrls, name: CookieName, value: string, seconds: number | null): string {
  const age = seconds === null ? '' : `; Max-Age=${seconds}`;
  const secure = urls.secure ? '; Secure' : '';
  return `${cookieName(urls, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`;
}

/** Makes a `Set-Cookie` header that removes a cookie. */
export function clearCookie(urls: PublicUrls, name: CookieName): string {
  return setCookie(urls, name, '', 0);
}

function cookiesOf(headers: Headers): readonly (readonly [string, string])[] {
  return (headers.get('cookie') ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
  });
}
