import { isInexact, isObject, type JsonObject, type JsonValue } from '../json.ts';

/** A user, as an identity provider describes them. */
export interface Identity {
  /** The provider's stable id, never a name that another user could take over. */
  readonly id: string;
  readonly username: string | null;
  /** An email address that the provider has verified; otherwise null. */
  readonly email: string | null;
  readonly name: string | null;
  /** The domains that `auth.allow` and `auth.grants` may name: facts that the provider has verified. */
  readonly domains: readonly string[];
  readonly groups: readonly string[];
  /** Organisations, sites and the like, by names that another customer of the provider cannot take. */
  readonly organizations: readonly string[];
  readonly role: string | null;
  readonly permissions: readonly string[];
  /** The capabilities that `claim_mappings` grants. */
  readonly capabilities: readonly string[];
  /** Further claims for policies: cloud ids, instance URL, workspace domain. */
  readonly claims: { readonly [key: string]: JsonValue };
  /** The claims that `claim_mappings`, `auth.allow` and `auth.grants` may read. No token holds them. */
  readonly mapped: JsonObject;
}

/** A provider's verified facts about a user, before `claim_mappings` apply. */
export interface ProviderProfile
  extends Omit<Identity, 'role' | 'permissions' | 'capabilities' | 'domains' | 'organizations'> {
  /** Default: the domain of the verified email address. */
  readonly domains?: readonly string[];
  /** Default: none. */
  readonly organizations?: readonly string[];
}

/**
 * Makes an identity from a provider's profile and the operator's `claim_mappings`. Claims named `role` and `permissions`
 * are no grants: users may choose them at some providers (spec, "User context fields").
 */
export function toIdentity(profile: ProviderProfile, mappings: ClaimMappings = {}): Identity {
  const { mapped, email } = profile;
  return {
    domains: email === null ? [] : [email.slice(email.lastIndexOf('@') + 1)],
    organizations: [],
    ...profile,
    ...toGrants(mapped, mappings),
  };
}

/**
 * Claim path -> claim value -> grants.
 *
 * @example { groups: { 'acme/admins': ['role:admin', 'permission:sales:read', 'export'] } }
 */
type ClaimMappings = {
  readonly [path: string]: { readonly [value: string]: readonly string[] };
};

/** The grants of `claim_mappings`. A word without a prefix is a capability. */
interface Grants {
  /** The name in the first `role:<name>`. */
  readonly role: string | null;
  /** The names in `permission:<name>`. */
  readonly permissions: readonly string[];
  readonly capabilities: readonly string[];
}

/** Claims whose text is a list of words. Any other text is one value, so that a display name cannot contain a role. */
const WORDS: ReadonlySet<string> = new Set(['permissions', 'roles', 'scope', 'scp']);

/** Looks up the grants of a user's claims. A path is the name of a claim, or several names joined by dots. */
export function toGrants(claims: JsonObject, mappings: ClaimMappings): Grants {
  const granted = Object.entries(mappings).flatMap(([path, table]) => {
    const held = new Set(valuesAt(claims, path));
    return Object.entries(table).flatMap(([value, words]) => (held.has(value) ? words : []));
  });
  const unique = [...new Set(granted)];
  const named = (prefix: string) =>
    unique.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length));
  return {
    role: named('role:')[0] ?? null,
    permissions: named('permission:'),
    capabilities: unique.filter((word) => !/^(role|permission):/.test(word)),
  };
}

/**
 * Returns the texts of a claim. Objects have none, and neither has a number that may be the rounded id of somebody else.
 * Words of a text count, but never words of a list's item.
 */
export function valuesAt(claims: JsonObject, path: string): readonly string[] {
  const names = path.split('.');
  const splits = WORDS.has(names.at(-1) ?? '');
  return descend(claims, names).flatMap(({ value, listed }) => {
    if (value === null || typeof value === 'object') return [];
    if (typeof value === 'number' && isInexact(value)) return [];
    const text = String(value);
    return splits && !listed ? [text, ...text.split(/\s+/)] : [text];
  });
}

interface ClaimValue {
  readonly value: JsonValue;
  /** Whether the value is an item of a list. */
  readonly listed: boolean;
}

/** A claim's own name may contain dots, as names of Keycloak clients do. The longest existing name wins. */
function descend(value: JsonValue, path: readonly string[], listed = false): ClaimValue[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => descend(item, path, true));
  if (path.length === 0) return [{ value, listed }];
  if (!isObject(value)) return [];
  for (let used = path.length; used > 0; used -= 1) {
    const key = path.slice(0, used).join('.');
    if (Object.hasOwn(value, key)) return descend(value[key] ?? null, path.slice(used));
  }
  return [];
}
