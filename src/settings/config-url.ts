const SUFFIX = '/.well-known/openid-configuration';

/** A discovery document (OpenID Connect Discovery 1.0, 4), and the issuer that it must name. */
interface Discovery {
  readonly issuer: string;
  readonly url: string;
}

/**
 * Reads a `config_url`: the address of a discovery document, which may have a query, or an issuer by itself. A document is
 * found at the address as it is written.
 *
 * @example toDiscovery('https://id.example/.well-known/openid-configuration?appid=1').issuer // https://id.example
 */
export function toDiscovery(configUrl: string): Discovery {
  const address = configUrl.replace(/[?#].*$/s, '');
  if (address.endsWith(SUFFIX)) return { issuer: address.slice(0, -SUFFIX.length), url: configUrl };
  const issuer = configUrl.replace(/\/+$/, '');
  return { issuer, url: openIdUrl(issuer) };
}

/** The address of an issuer's OpenID discovery document. */
export function openIdUrl(issuer: string): string {
  return `${issuer.replace(/\/+$/, '')}${SUFFIX}`;
}
