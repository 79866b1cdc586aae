import * as v from 'valibot';
import { flag, mapOf, optional, says, strictMap, text, word } from '../../project/schema/shape.ts';
import { isServedPath } from '../../served-paths.ts';
import { toDiscovery } from '../config-url.ts';
import { hiddenWord, url, words } from './values.ts';

/** Maps a claim path and a claim value to its grants: capabilities, `role:<name>`, `permission:<name>`. */
export const CLAIM_MAPPINGS = optional(mapOf(mapOf(words())));

const SHARED = {
  client_id: word(),
  client_secret: hiddenWord(),
  callback_path: optional(path()),
  scope: optional(text()),
  auth_url: optional(url()),
  token_url: optional(url()),
  userinfo_url: optional(url()),
  revocation_url: optional(url()),
  extra_authorize_params: optional(mapOf(text())),
  claim_mappings: CLAIM_MAPPINGS,
};

/** The keys of a provider with public clients, which have no secret. */
const PUBLIC = { ...SHARED, client_secret: optional(hiddenWord()) };

/** The settings of an identity provider. */
export interface ProviderRecord {
  /** The provider's name for people. */
  readonly title: string;
  /** The block `auth.<id>` of the user file. */
  readonly block: v.GenericSchema;
  /** The provider's own addresses, if no other setting names its server. */
  readonly urls?: { readonly auth_url: string; readonly token_url: string };
  /** Whether `auth_url` and `token_url` usually have different origins. Otherwise `svc validate` warns of that. */
  readonly severalOrigins?: boolean;
  /** The people who may use the server without `auth.allow`, for messages. */
  readonly accounts: string;
  /** Lists of `auth.allow` and `auth.grants` that match nobody, because the provider does not name such facts. */
  readonly unnamed?: readonly ('groups' | 'organizations')[];
  /** Lists and claims that the provider shows only if one of these scopes is requested. */
  readonly guarded?: { readonly facts: readonly string[]; readonly scopes: readonly string[] };
}

/**
 * The identity providers (spec, "auth.provider values"). `oidc` is any other OpenID provider. The settings, their
 * checks and the reference page follow from this list. For a new entry, the compiler asks for the provider itself
 * (src/auth/providers/registry.ts) and a stand-in for its tests, and a test asks for its tests and its how-to page.
 */
export const PROVIDERS = {
  github: {
    title: 'GitHub',
    urls: {
      auth_url: 'https://github.com/login/oauth/authorize',
      token_url: 'https://github.com/login/oauth/access_token',
    },
    block: optional(strictMap({ ...SHARED, api_url: optional(url()) })),
    accounts: 'everybody with a GitHub account',
    guarded: { facts: ['groups', 'organizations'], scopes: ['read:org', 'write:org', 'admin:org'] },
  },
  atlassian: {
    title: 'Atlassian',
    urls: {
      auth_url: 'https://auth.atlassian.com/authorize',
      token_url: 'https://auth.atlassian.com/oauth/token',
    },
    block: optional(strictMap({ ...SHARED, api_url: optional(url()) })),
    accounts: 'everybody with an Atlassian account',
    guarded: { facts: ['groups'], scopes: ['read:jira-user'] },
  },
  salesforce: {
    title: 'Salesforce',
    block: optional(strictMap({ ...SHARED, sandbox: optional(flag()) })),
    accounts: 'every Salesforce user whom that login page accepts',
    unnamed: ['groups'],
    guarded: { facts: ['profile', 'permission_sets'], scopes: ['api', 'full'] },
  },
  google: {
    title: 'Google',
    urls: {
      auth_url: 'https://accounts.google.com/o/oauth2/v2/auth',
      token_url: 'https://oauth2.googleapis.com/token',
    },
    block: optional(strictMap(SHARED)),
    severalOrigins: true,
    accounts: 'everybody with a Google account',
    unnamed: ['groups', 'organizations'],
  },
  keycloak: {
    title: 'Keycloak',
    block: optional(strictMap({ ...PUBLIC, server_url: url(), realm: word() })),
    accounts: 'every user of the realm',
  },
  oidc: {
    title: 'an OpenID provider',
    accounts: 'every user of the identity provider',
    unnamed: ['organizations'],
    block: optional(
      strictMap({
        ...PUBLIC,
        config_url: configUrl(),
        audience: optional(word()),
        provider_name: optional(word()),
      }),
    ),
  },
} as const satisfies { readonly [id: string]: ProviderRecord };

export type ProviderId = keyof typeof PROVIDERS;

/** The ids of the identity providers. */
export const PROVIDER_IDS = Object.keys(PROVIDERS) as readonly ProviderId[];

/** The name of a provider for people. A name of its own, from `provider_name`, stays. */
export function providerTitle(id: string): string {
  return PROVIDER_IDS.some((known) => known === id) ? PROVIDERS[id as ProviderId].title : id;
}

/** The block of each provider, as entries of `auth`. */
export const PROVIDER_BLOCKS = Object.fromEntries(
  Object.entries(PROVIDERS).map(([id, { block }]) => [id, block]),
) as { readonly [Id in ProviderId]: (typeof PROVIDERS)[Id]['block'] };

type Block = NonNullable<v.InferOutput<(typeof PROVIDERS)[ProviderId]['block']>>;
type KeyOf<One> = One extends unknown ? keyof One : never;
type ValueOf<One, Key> = One extends unknown
  ? Key extends keyof One
    ? NonNullable<One[Key]>
    : never
  : never;

/** The keys of all blocks together; each is absent from the blocks of some providers. */
export type ProviderKeys = { readonly [Key in KeyOf<Block>]?: ValueOf<Block, Key> };

function configUrl() {
  return v.pipe(
    url(),
    v.check(
      (value) => !/[?#]/.test(value) || toDiscovery(value).url === value,
      says(
        'wrong-value',
        'has a query or a fragment, so its path must end in /.well-known/openid-configuration.',
        'Write the whole address of the discovery document.',
      ),
    ),
  );
}

/** A path that requests can have, and that the server does not use itself. */
function path() {
  return v.pipe(
    word(),
    v.check(
      (value) => pathFault(value) === null,
      ({ input }) => says('wrong-value', pathFault(input) ?? '', 'Write one such as /callback.'),
    ),
  );
}

function pathFault(value: string): string | null {
  if (!/^\/[^?#\s]*$/.test(value)) return 'must be a path that begins with `/`.';
  // Requests arrive in the form in which addresses write a path.
  const written = new URL(`https://svc.example${value}`).pathname;
  if (written !== value) return `must be written as in an address, which makes ${written} of it.`;
  return isServedPath(value) ? 'is a path that the server uses itself.' : null;
}
