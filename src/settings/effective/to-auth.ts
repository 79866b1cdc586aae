import { present } from '../../project/schema/shape.ts';
import { toDiscovery } from '../config-url.ts';
import type { ApiKey, AuthSettings, Members, Persistence, ProviderBlock, VerifierBlock } from '../model.ts';
import type { ParsedAuth } from '../schema/auth.ts';
import { BLOCK_DEFAULTS, DEFAULTS } from './defaults.ts';

/** Converts `auth` and applies defaults. Blocks of providers that were not chosen have no effect. */
export function toAuth(written: ParsedAuth): AuthSettings {
  const { persistence } = written;
  return {
    mode: written.mode ?? DEFAULTS['auth.mode'],
    provider: toProvider(written),
    verifier: toVerifier(written),
    keys: written.keys ?? [],
    not_before: written.not_before ? Date.parse(written.not_before) : null,
    clients: (written.clients ?? []).map((client) => ({
      client_id: client.client_id,
      name: client.name,
      client_secret: client.client_secret ?? null,
      redirect_uris: client.redirect_uris ?? [],
      grant_types: client.grant_types ?? BLOCK_DEFAULTS.grant_types,
      scopes: client.scopes ?? BLOCK_DEFAULTS.scopes,
    })),
    blocked_clients: written.blocked_clients ?? [],
    allow: written.allow === undefined ? null : toMembers(written.allow),
    grants: (written.grants ?? []).map(({ scope, to }) => ({ scope, to: toMembers(to) })),
    required_scopes: written.authorization?.required_scopes ?? [],
    api_keys: written.api_keys === undefined ? null : (written.api_keys ?? []).map(toApiKey),
    persistence: persistence ? toPersistence(persistence) : null,
    hide_credential_headers: written.hide_credential_headers ?? DEFAULTS['auth.hide_credential_headers'],
    public: written.public ?? DEFAULTS['auth.public'],
  };
}

/** A rule without entries names nobody, also if the key has no value: a forgotten list must not open the server. */
function toMembers(written: ParsedAuth['allow']): Members {
  const { emails, domains, groups, organizations, claims } = written ?? {};
  return {
    emails: emails ?? [],
    domains: domains ?? [],
    // The groups of a user have no leading slash either.
    groups: (groups ?? []).map((group) => group.replace(/^\//, '')),
    organizations: organizations ?? [],
    claims: claims ?? {},
  };
}

type WrittenKey = NonNullable<ParsedAuth['api_keys']>[number];

/** Without `user`, the key itself is the user. */
function toApiKey({ name, hash, scopes, user, expires }: WrittenKey): ApiKey {
  return {
    name,
    hash: hash.toLowerCase(),
    scopes: scopes ?? [],
    expires: expires ? Date.parse(expires) : null,
    user: {
      id: user?.id ?? name,
      username: user?.username ?? null,
      email: user?.email ?? null,
      name: user?.name ?? null,
      provider: 'api-key',
      role: user?.role ?? null,
      permissions: user?.permissions ?? [],
      groups: user?.groups ?? [],
      capabilities: user?.capabilities ?? [],
      claims: user?.claims ?? {},
      externalToken: null,
      apiKey: name,
    },
  };
}

/** `checkStore` has already verified that the required keys are present. */
function toPersistence(written: NonNullable<ParsedAuth['persistence']>): Persistence {
  const { type, path, table, region, endpoint, binding, auth_encryption_key } = written;
  if (type === 'd1') return { type, binding: binding ?? '' };
  if (type === 'dynamodb') {
    return { type, table: table ?? '', region: region ?? null, endpoint: endpoint ?? null };
  }
  return {
    type: 'sqlite',
    path: path ?? BLOCK_DEFAULTS.persistence_path,
    auth_encryption_key: auth_encryption_key ?? null,
  };
}

function toProvider(written: ParsedAuth): ProviderBlock | null {
  const id = written.mode === 'verifier' ? 'none' : (written.provider ?? 'none');
  const block = id === 'none' ? null : written[id];
  if (id === 'none' || !block) return null;
  return {
    ...present(block),
    id,
    client_id: block.client_id,
    client_secret: block.client_secret ?? null,
    callback_path: block.callback_path ?? BLOCK_DEFAULTS.callback_path,
  } as ProviderBlock;
}

/** The block `verifier`. Without it, the block `oidc`, which describes the same server. */
function toVerifier({ mode, verifier, oidc }: ParsedAuth): VerifierBlock | null {
  if (mode !== 'verifier') return null;
  if (verifier) return { ...present(verifier), audience: verifier.audience ?? [] } as VerifierBlock;
  if (!oidc) return null;
  const { config_url, audience, client_id, client_secret, provider_name, claim_mappings } = present(oidc);
  const { issuer } = toDiscovery(config_url);
  return {
    ...present({ client_id, client_secret, provider_name, claim_mappings }),
    issuer,
    ...(config_url.includes('?') && { config_url }),
    audience: audience ? [audience] : [],
  } as VerifierBlock;
}
