import { SvcError } from '../../errors.ts';
import { isPrivateUse, isUsable, LOOPBACK_URI } from '../../settings/redirect-uri.ts';
import type { OAuthClient } from '../types.ts';

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
  const usable =
    client.kind === 'static' ? isUsable(requested) || isPrivateUse(requested) : isUsable(requested);
  if (registered && usable) return requested;
  throw new SvcError(
    'redirect_invalid',
    registered
      ? 'The redirect URI must begin with https://, or with http:// and this computer, and have no fragment.'
      : 'The client has not registered this redirect URI.',
  );
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
