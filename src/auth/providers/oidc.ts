import { type JsonObject, textOf, textsOf } from '../../json.ts';
import { toDiscovery } from '../../settings/config-url.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { createDiscovery } from '../upstream/discovery.ts';
import { misconfigured } from '../upstream/errors.ts';
import { createOpenId, type OpenIdServer } from '../upstream/openid.ts';
import { enforceOpenId, type Provider, type ProviderPorts, scopesOf } from '../upstream/provider.ts';

/** Any OpenID provider, configured by its discovery document. */
export function createOidc(block: ProviderBlock, ports: ProviderPorts): Provider {
  const { config_url, provider_name, audience } = block;
  const provider = provider_name ?? 'The identity provider';
  if (config_url === undefined) throw misconfigured({ provider }, 'needs `config_url`. Add it.');
  const offline = ports.offline ? ['offline_access'] : [];
  const scopes = scopesOf(block, ['openid', 'profile', 'email', ...offline]);
  enforceOpenId(provider, scopes);
  const { issuer, url } = toDiscovery(config_url);
  const discover = createDiscovery({ provider, issuer, urls: [url], now: ports.now });
  return createOpenId(block, ports, {
    id: provider_name ?? 'oidc',
    issuer,
    provider,
    scopes,
    parameters: {
      // Without it, providers must ignore offline_access (Core, section 11).
      ...(scopes.includes('offline_access') && { prompt: 'consent' }),
      ...(audience !== undefined && { audience }),
    },
    server: async (signal, ask) => toServer(await discover(signal, ask), block, provider),
    complete: false,
  });
}

function toServer(document: JsonObject, block: ProviderBlock, provider: string): OpenIdServer {
  return {
    endpoints: {
      authorize: block.auth_url ?? need(document, 'authorization_endpoint', provider),
      token: block.token_url ?? need(document, 'token_endpoint', provider),
      revoke: block.revocation_url ?? textOf(document, 'revocation_endpoint'),
      authentication: toAuthentication(document, provider),
    },
    issuers: [need(document, 'issuer', provider)],
    sendsIssuer: document.authorization_response_iss_parameter_supported === true,
    jwks: need(document, 'jwks_uri', provider),
    userinfo: block.userinfo_url ?? textOf(document, 'userinfo_endpoint'),
  };
}

function need(document: JsonObject, key: string, provider: string): string {
  const value = textOf(document, key);
  if (value !== null) return value;
  throw misconfigured({ provider }, `has no ${key} in its discovery document. Check config_url.`);
}

function toAuthentication(document: JsonObject, provider: string): 'basic' | 'body' {
  const methods = textsOf(document.token_endpoint_auth_methods_supported);
  if (methods.length === 0 || methods.includes('client_secret_basic')) return 'basic';
  if (methods.includes('client_secret_post') || methods.includes('none')) return 'body';
  throw misconfigured({ provider }, 'accepts no client secret. Register a client with one there.');
}
