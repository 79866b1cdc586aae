import { SvcError } from '../../errors.ts';
import type { OAuthClient } from '../types.ts';

const LOOPBACK_URI = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?([/?][^#]*)?$/;
/** Schemes whose URLs run or show their own content. */
const NEVER = /^(javascript|data|vbscript|file|about|blob|filesystem|view-source|ws|wss|ftp):/i;

/** Whether a URI may be registered: plain characters, no fragment, no credentials. */
export function isRegistrable(uri: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(uri) || /[#\\"<>^`{|}]/.test(uri)) return false;
  if (NEVER.test(uri) || !URL.canParse(uri) || /^https?:(?!\/\/[^/?])/i.test(uri)) return false;
  const { username, password } = new URL(uri);
  return username === '' && password === '' && !/^[^:]+:\/\/[^/?]*@/.test(uri);
}

/** Whether an address may be used: https, or http on the user's own machine (OAuth 2.1, 2.3.1). */
export function isUsable(uri: string): boolean {
  return isRegistrable(uri) && (uri.startsWith('https://') || LOOPBACK_URI.test(uri));
}

/**
 * Whether a redirect leads to a program on the user's computer, by a loopback address or a scheme of its own. Another
 * program there may take its place (RFC 8252, 8.1 and 8.6).
 */
export function isLocal(uri: string): boolean {
  return !uri.startsWith('https://');
}

/**
 * Returns the requested redirect URI. Throws redirect_invalid unless the client registered exactly this URI; only a
 * loopback port may differ (RFC 8252, 7.3).
 */
export function enforceRedirect(client: OAuthClient, requested: string): string {
  const registered = client.redirectUris.some((uri) => uri === requested || isSameButPort(uri, requested));
  // Only the operator may configure a client with a private-use scheme.
  const usable =
    client.kind === 'static' ? isUsable(requested) || isPrivateUse(requested) : isUsable(requested);
  if (registered && usable) return requested;
  throw new SvcError(
    'redirect_invalid',
    registered
      ? 'The redirect URI is neither https nor http on this computer.'
      : 'The client has not registered this redirect URI.',
  );
}

function isPrivateUse(uri: string): boolean {
  return isRegistrable(uri) && !/^https?:/i.test(uri);
}

function isSameButPort(registered: string, asked: string): boolean {
  const [one, other] = [LOOPBACK_URI.exec(registered), LOOPBACK_URI.exec(asked)];
  if (one === null || other === null || Number(other[2]?.slice(1) ?? 0) > 65_535) return false;
  return one[1] === other[1] && (one[3] ?? '') === (other[3] ?? '');
}

/** Adds parameters to a redirect URI without changing its own characters. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const entries = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  );
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(entries).toString()}`;
}
