import type { User } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { USER_LISTS, USER_TEXTS } from '../project/schema/user-context.ts';

/** The origin of a simulated user: its name in errors, and the id of a user without one. */
interface UserSource {
  readonly from: string;
  readonly id: string;
}

/** Parses a user from `user_context` or `--user-context` (spec, "User context fields"). The whole map becomes its claims. */
export function parseUserContext(given: JsonObject, source: UserSource): User {
  const { external_token: _, ...claims } = given;
  const texts = Object.fromEntries(USER_TEXTS.map((key) => [key, textOf(given, key, source)]));
  const lists = Object.fromEntries(USER_LISTS.map((key) => [key, listOf(given, key, source)]));
  return {
    id: texts.id ?? texts.user_id ?? source.id,
    username: texts.username ?? null,
    email: texts.email ?? null,
    name: texts.name ?? null,
    provider: texts.provider ?? null,
    role: texts.role ?? null,
    permissions: lists.permissions ?? [],
    groups: lists.groups ?? [],
    capabilities: lists.capabilities ?? [],
    claims,
    externalToken: texts.external_token ?? null,
  };
}

function textOf(given: JsonObject, key: string, { from }: UserSource): string | null {
  const value = given[key] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw new SvcError('usage', `${from}: ${key} must be text.`);
}

function listOf(given: JsonObject, key: string, { from }: UserSource): readonly string[] {
  const value = given[key] ?? [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new SvcError('usage', `${from}: ${key} must be a list of texts.`);
}
