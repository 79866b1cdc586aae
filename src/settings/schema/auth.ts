import * as v from 'valibot';
import { fromBase64Url } from '../../crypto/encoding.ts';
import { SECRET_BYTES } from '../../crypto/keys.ts';
import {
  choice,
  flag,
  formed,
  freeMap,
  listOf,
  listOrOne,
  mapOf,
  optional,
  says,
  strictMap,
  word,
} from '../../project/schema/shape.ts';
import { CLAIM_MAPPINGS, PROVIDER_BLOCKS, PROVIDER_IDS } from './providers.ts';
import { digest, hiddenWord, url, words } from './values.ts';

/** The least characters of `auth_encryption_key`. */
const MIN_TEXT = 32;
export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

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
  scopes: optional(listOrOne(scope())),
});

/** The people of a rule. A user needs to match only one entry of one list. */
const MEMBERS = strictMap({
  emails: optional(words()),
  domains: optional(words()),
  groups: optional(words()),
  organizations: optional(words()),
  claims: optional(mapOf(words())),
});

const GRANT = strictMap({ scope: scope(), to: MEMBERS });

const KEY = strictMap({ kid: keyId(), secret: keySecret() });

/** A key for a machine, and the user whom policies see. */
export const API_KEY = strictMap({
  name: formed(
    /^[A-Za-z0-9][\w.-]{0,63}$/,
    'a name of 1 to 64 letters, digits, `.`, `_` and `-`',
    'Name the machine, such as nightly-report.',
  ),
  hash: digest('Make an entry with `svc auth api-key <name>`.'),
  scopes: optional(listOrOne(scope())),
  expires: optional(instant()),
  user: optional(
    strictMap({
      id: optional(word()),
      username: optional(word()),
      email: optional(word()),
      name: optional(word()),
      role: optional(word()),
      permissions: optional(words()),
      groups: optional(words()),
      capabilities: optional(words()),
      claims: optional(freeMap()),
    }),
  ),
});

/** `auth` of a profile (spec, "Authentication"). */
export const AUTH = strictMap({
  mode: optional(choice(['issuer', 'verifier'])),
  provider: optional(choice(['none', ...PROVIDER_IDS])),
  keys: optional(keys()),
  not_before: optional(instant()),
  clients: optional(listOf(CLIENT)),
  blocked_clients: optional(listOrOne(clientHash())),
  api_keys: optional(listOf(API_KEY)),
  allow: optional(MEMBERS),
  grants: optional(listOf(GRANT)),
  authorization: optional(strictMap({ required_scopes: optional(listOrOne(scope())) })),
  persistence: optional(
    strictMap({
      type: optional(choice(['sqlite', 'dynamodb', 'd1'])),
      path: optional(word()),
      table: optional(word()),
      region: optional(word()),
      endpoint: optional(url()),
      binding: optional(word()),
      auth_encryption_key: optional(encryptionKey()),
    }),
  ),
  hide_credential_headers: optional(flag()),
  public: optional(flag()),
  ...PROVIDER_BLOCKS,
  verifier: optional(VERIFIER),
});

export type ParsedAuth = v.InferOutput<typeof AUTH>;

function scope() {
  return formed(
    /^[\x21\x23-\x5b\x5d-\x7e]+$/,
    'one scope: characters of ASCII without spaces, quotes and backslashes',
    'Write one entry for each scope.',
  );
}

function keyId() {
  return formed(
    /^[A-Za-z0-9_-]{1,32}$/,
    'a name of 1 to 32 letters, digits, `_` and `-`',
    'Make an entry with `svc auth keygen`.',
  );
}

function keySecret() {
  return v.pipe(
    hiddenWord(),
    v.check(
      (value) => (fromBase64Url(value)?.byteLength ?? 0) >= SECRET_BYTES,
      says(
        'wrong-value',
        `must be ${SECRET_BYTES} random bytes as base64url.`,
        'Make one with `svc auth keygen`.',
      ),
    ),
  );
}

function keys() {
  return v.pipe(
    listOf(KEY),
    v.check(
      (list) => new Set(list.map(({ kid }) => kid)).size === list.length,
      says(
        'duplicate-name',
        'has two keys of one `kid`.',
        'Give each its own: make one with `svc auth keygen`.',
      ),
    ),
  );
}

function clientHash() {
  return formed(
    /^[\da-fA-F]{64}$/,
    'a SHA-256: 64 hexadecimal digits',
    'Make it with `printf %s <client id> | sha256sum`.',
  );
}

/** Any long text, as in other MCP servers. */
function encryptionKey() {
  return v.pipe(
    hiddenWord(),
    v.check(
      ({ length }) => length >= MIN_TEXT,
      says(
        'wrong-value',
        `must have ${MIN_TEXT} characters or more.`,
        'Make a key with `svc auth keygen`, and set SVC_AUTH_KEYS to it instead.',
      ),
    ),
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
