import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { textOf, textsOf } from './upstream/field.ts';
import type { Identity } from './upstream/provider.ts';

/** What a provider says about somebody, checked but not yet mapped. */
export interface ProviderProfile extends Omit<Identity, 'role' | 'permissions' | 'capabilities'> {
  /** Everything that `claim_mappings` may look at. */
  readonly mapped: JsonObject;
}

/** An identity: what the provider says, and what the operator grants for it. */
export function toIdentity({ mapped, ...profile }: ProviderProfile, mappings: ClaimMappings = {}): Identity {
  const grants = toGrants(mapped, mappings);
  return {
    ...profile,
    role: grants.role ?? textOf(mapped, 'role'),
    permissions: [...new Set([...textsOf(mapped.permissions), ...grants.permissions])],
    capabilities: grants.capabilities,
  };
}

/** Claim path -> claim value -> what it grants. */
export type ClaimMappings = {
  readonly [path: string]: { readonly [value: string]: readonly string[] };
};

/** What `claim_mappings` grants: words by themselves are capabilities. */
export interface Grants {
  /** Of the first `role:<name>`. */
  readonly role: string | null;
  /** Of `permission:<name>`. */
  readonly permissions: readonly string[];
  readonly capabilities: readonly string[];
}

/** Claims whose text is a list of words; any other text is one value, so that no name can hold a role. */
const WORDS: ReadonlySet<string> = new Set(['permissions', 'roles', 'scope', 'scp']);

/** Looks up what somebody's claims grant; a path is a claim's name, or names with dots between them. */
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

function valuesAt(claims: JsonObject, path: string): string[] {
  const words = WORDS.has(path.split('.').at(-1) ?? '');
  return descend(claims, path.split('.')).flatMap((value) => {
    if (value === null || typeof value === 'object') return [];
    const text = String(value);
    return words ? [text, ...text.split(/\s+/)] : [text];
  });
}

/** Names may have dots in them, as those of Keycloak's clients do: the longest that is there wins. */
function descend(value: JsonValue, path: readonly string[]): JsonValue[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => descend(item, path));
  if (path.length === 0) return [value];
  if (!isObject(value)) return [];
  for (let used = path.length; used > 0; used -= 1) {
    const key = path.slice(0, used).join('.');
    if (Object.hasOwn(value, key)) return descend(value[key] ?? null, path.slice(used));
  }
  return [];
}
