import * as v from 'valibot';
import {
  choice,
  flag,
  formed,
  listOf,
  mapOf,
  optional,
  says,
  strictMap,
  text,
  word,
} from '../../project/schema/shape.ts';
import { hiddenWord, words } from './hidden.ts';
import { url } from './url.ts';

/** Ids of the identity providers (spec, "auth.provider values"; `oidc` is any other OpenID provider). */
export const PROVIDERS = ['github', 'atlassian', 'salesforce', 'google', 'keycloak', 'oidc'] as const;
export type ProviderId = (typeof PROVIDERS)[number];

export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

/** Maps a claim path and a claim value to its grants: capabilities, `role:<name>`, `permission:<name>`. */
const CLAIM_MAPPINGS = optional(mapOf(mapOf(words())));

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

/** Public clients at these providers have no secret. */
const OPENID = { ...SHARED, client_secret: optional(hiddenWord()) };

const GITHUB = strictMap({ ...SHARED, api_url: optional(url()) });
const ATLASSIAN = strictMap({ ...SHARED, api_url: optional(url()) });
const SALESFORCE = strictMap({ ...SHARED, sandbox: optional(flag()) });
const GOOGLE = strictMap(SHARED);
const KEYCLOAK = strictMap({ ...OPENID, server_url: url(), realm: word() });
const OIDC = strictMap({
  ...OPENID,
  config_url: url(),
  audience: optional(word()),
  provider_name: optional(word()),
});

/** The authorization server of `mode: verifier`. */
const VERIFIER = strictMap({
  issuer: url(),
  audience: optional(words()),
  jwks_url: optional(url()),
  introspection_url: optional(url()),
  client_id: optional(word()),
  client_secret: optional(hiddenWord()),
  provider_name: optional(word()),
  claim_mappings: CLAIM_MAPPINGS,
});

const CLIENT = strictMap({
  client_id: word(),
  name: word(),
  client_secret: optional(hiddenWord()),
  redirect_uris: optional(words()),
  grant_types: optional(listOf(choice(GRANT_TYPES))),
  scopes: optional(words()),
});

const KEY = strictMap({ kid: keyId(), secret: hiddenWord() });

/** `auth` of a profile (spec, "Authentication"). */
export const AUTH = strictMap({
  mode: optional(choice(['issuer', 'verifier'])),
  provider: optional(choice(['none', ...PROVIDERS])),
  keys: optional(listOf(KEY)),
  not_before: optional(instant()),
  clients: optional(listOf(CLIENT)),
  blocked_clients: optional(words()),
  authorization: optional(strictMap({ required_scopes: optional(words()) })),
  persistence: optional(
    strictMap({
      type: optional(choice(['sqlite', 'dynamodb', 'd1'])),
      path: optional(word()),
      table: optional(word()),
      region: optional(word()),
      endpoint: optional(url()),
      binding: optional(word()),
      auth_encryption_key: optional(hiddenWord()),
    }),
  ),
  hide_credential_headers: optional(flag()),
  github: optional(GITHUB),
  atlassian: optional(ATLASSIAN),
  salesforce: optional(SALESFORCE),
  google: optional(GOOGLE),
  keycloak: optional(KEYCLOAK),
  oidc: optional(OIDC),
  verifier: optional(VERIFIER),
});

export type ParsedAuth = v.InferOutput<typeof AUTH>;

function keyId() {
  return formed(
    /^[A-Za-z0-9_-]{1,32}$/,
    'a name of 1 to 32 letters, digits, `_` and `-`',
    'Make an entry with `svc auth keygen`.',
  );
}

function instant() {
  return v.pipe(
    word(),
    v.check(
      (value) => /^\d{4}-\d\d-\d\d/.test(value) && Number.isFinite(Date.parse(value)),
      says('wrong-value', 'must be a time.', 'Write one such as 2026-01-31T12:00:00Z.'),
    ),
  );
}

function path() {
  return v.pipe(
    word(),
    v.check(
      (value) => /^\/[^?#\s]*$/.test(value),
      'wrong-value\nmust be a path that begins with `/`.\nWrite one such as /callback.',
    ),
  );
}
