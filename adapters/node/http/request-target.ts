import type { IncomingMessage } from 'node:http';

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Turns an absolute request target into path and query. Its host replaces the Host header (RFC 9112, 3.2.2), so that the
 * checked host is the one in `request.url`. Its scheme is dropped, because the connection has the scheme.
 */
export function toOriginForm(incoming: IncomingMessage): void {
  const [, host, rest = ''] = ABSOLUTE.exec(incoming.url ?? '') ?? [];
  if (host === undefined) return;
  incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
  incoming.headers.host = host;
  incoming.rawHeaders = [...withoutHost(incoming.rawHeaders), 'Host', host];
}

/** Removes the Host header from a list in which names and values alternate. */
function withoutHost(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)]?.toLowerCase() !== 'host');
}
