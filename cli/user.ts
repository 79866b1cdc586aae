import type { User } from '../src/context.ts';
import { SvcError } from '../src/errors.ts';
import type { JsonObject, JsonValue } from '../src/json.ts';
import { readText } from './parameters.ts';

const OPTION = '--user-context';
const TEXTS = ['username', 'email', 'name', 'provider', 'role'] as const;
const LISTS = ['permissions', 'groups', 'capabilities'] as const;

/** The user that `--user-context` simulates: JSON, or @file (spec, "User context fields"). */
export async function parseUser(given: string | undefined): Promise<User | null> {
  if (given === undefined) return null;
  const json = given.startsWith('@') ? await readText(given.slice(1), OPTION) : given;
  return toUser(toObject(json));
}

function toObject(json: string): JsonObject {
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(json);
  } catch (cause) {
    throw new SvcError('usage', `${OPTION} is not JSON: ${String(cause)}\nWrite ${EXAMPLE}`, { cause });
  }
  if (isObject(parsed)) return parsed;
  throw new SvcError('usage', `${OPTION} must be a JSON object.\nWrite ${EXAMPLE}`);
}

const EXAMPLE = `${OPTION} '{"email": "ada@example.com", "role": "analyst"}'`;

function toUser(given: JsonObject): User {
  const texts = Object.fromEntries(TEXTS.map((key) => [key, textOf(given, key)]));
  const lists = Object.fromEntries(LISTS.map((key) => [key, listOf(given, key)]));
  return {
    id: textOf(given, 'id') ?? textOf(given, 'user_id') ?? 'cli',
    username: texts.username ?? null,
    email: texts.email ?? null,
    name: texts.name ?? null,
    provider: texts.provider ?? null,
    role: texts.role ?? null,
    permissions: lists.permissions ?? [],
    groups: lists.groups ?? [],
    capabilities: lists.capabilities ?? [],
    claims: given,
    externalToken: null,
  };
}

function textOf(given: JsonObject, key: string): string | null {
  const value = given[key] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw new SvcError('usage', `${OPTION}: ${key} must be text.`);
}

function listOf(given: JsonObject, key: string): readonly string[] {
  const value = given[key] ?? [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new SvcError('usage', `${OPTION}: ${key} must be a list of texts.`);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
