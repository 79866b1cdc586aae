import type { User } from '../context.ts';
import type { JsonObject } from '../json.ts';

const ANONYMOUS: JsonObject = {
  id: null,
  user_id: null,
  username: null,
  email: null,
  name: null,
  provider: null,
  role: 'anonymous',
  permissions: [],
  groups: [],
  capabilities: [],
  claims: {},
};

/** The user with empty texts in place of null, to find out whether a condition fails only because of null. */
export function withoutNulls(user: User | null): JsonObject {
  const fields = Object.entries(toPolicyUser(user));
  return Object.fromEntries(fields.map(([name, value]) => [name, value ?? '']));
}

/** The keys of `user` in a condition (spec, "User context fields"). Every key is always present. */
export const USER_KEYS: readonly string[] = Object.keys(ANONYMOUS);

/** The user as conditions see it: every documented key, without the identity provider's token. */
export function toPolicyUser(user: User | null): JsonObject {
  if (user === null) return ANONYMOUS;
  const { id, username, email, name, provider, role, permissions, groups, capabilities, claims } = user;
  return {
    id,
    user_id: id,
    username,
    email,
    name,
    provider,
    role,
    permissions,
    groups,
    capabilities,
    claims,
  };
}
