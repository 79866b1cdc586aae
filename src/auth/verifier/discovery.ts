import type { VerifierBlock } from '../../settings/model.ts';
import { createDiscovery, openIdUrl } from '../upstream/discovery.ts';
import { misconfigured } from '../upstream/errors.ts';
import { textOf } from '../upstream/field.ts';
import type { SendToProvider } from '../upstream/request.ts';

/** The addresses for checking tokens. */
export interface VerifierServer {
  readonly jwks: string | null;
  readonly introspection: string | null;
}

/** Finds the addresses in the settings, or in the issuer's discovery document (RFC 8414, OpenID Connect Discovery). */
export function createFindServer(
  block: VerifierBlock,
  provider: string,
  ask: SendToProvider,
  now: () => number,
): (signal: AbortSignal) => Promise<VerifierServer> {
  const { issuer, jwks_url, introspection_url } = block;
  if (jwks_url !== undefined || introspection_url !== undefined) {
    const fixed = { jwks: jwks_url ?? null, introspection: introspection_url ?? null };
    return async () => fixed;
  }
  const discover = createDiscovery({ provider, issuer, urls: [metadataUrl(issuer), openIdUrl(issuer)], now });
  return async (signal) => {
    const document = await discover(signal, ask);
    const jwks = textOf(document, 'jwks_uri');
    // Introspection requires a client.
    const introspection = block.client_id ? textOf(document, 'introspection_endpoint') : null;
    if (jwks !== null || introspection !== null) return { jwks, introspection };
    throw misconfigured(
      { provider },
      'names neither keys nor an introspection endpoint. Set jwks_url or introspection_url.',
    );
  };
}

/** The well-known path goes between the host and the issuer's own path (RFC 8414, 3.1). */
function metadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/+$/, '')}`;
}
