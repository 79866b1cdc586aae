import type { User } from '../../src/context.ts';
import { SvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import { parseUserContext } from '../../src/quality/user.ts';
import { readParamText } from './param-option.ts';

const OPTION = '--user-context';

/** Parses `--user-context`: JSON, or @file (spec, "User context fields"). */
export async function parseUser(given: string | undefined): Promise<User | null> {
  if (given === undefined) return null;
  const json = given.startsWith('@') ? await readParamText(given.slice(1), OPTION) : given;
  return parseUserContext(toObject(json), { from: OPTION, id: 'cli' });
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
