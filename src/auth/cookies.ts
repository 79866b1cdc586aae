import type { PublicUrls } from './public-urls.ts';

/** The cookies of a login: `browser` binds a consent page, `tx-…` one trip, the others remember. */
export type CookieName = 'browser' | 'consent' | 'sessions' | `tx-${string}`;

/** The longest value that is set: browsers drop a cookie of more than 4,096 bytes. */
export const MAX_COOKIE = 3_800;

/** A cookie's full name; cookies ignore ports, so on this machine the port is part of it. */
function cookieName({ secure, port }: PublicUrls, name: CookieName): string {
  return secure ? `__Host-svc-${name}` : `svc${port}-${name}`;
}

/** A cookie's value; null where the browser sent none. */
export function readCookie({ headers }: Request, urls: PublicUrls, name: CookieName): string | null {
  const wanted = cookieName(urls, name);
  return cookiesOf(headers).find(([found]) => found === wanted)?.[1] ?? null;
}

/** The names after `tx-`, in the order in which the browser sent them: the oldest first (RFC 6265, 5.4). */
export function readLoginStates({ headers }: Request, urls: PublicUrls): readonly string[] {
  const prefix = cookieName(urls, 'tx-');
  return cookiesOf(headers).flatMap(([name]) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}

/** A `Set-Cookie` that only this server reads; null seconds: until the browser is closed. */
export function setCookie(urls: PublicUrls, name: CookieName, value: string, seconds: number | null): string {
  const age = seconds === null ? '' : `; Max-Age=${seconds}`;
  const secure = urls.secure ? '; Secure' : '';
  return `${cookieName(urls, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`;
}

/** A `Set-Cookie` that removes one. */
export function clearCookie(urls: PublicUrls, name: CookieName): string {
  return setCookie(urls, name, '', 0);
}

function cookiesOf(headers: Headers): readonly (readonly [string, string])[] {
  return (headers.get('cookie') ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
  });
}
