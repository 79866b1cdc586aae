import { readFile } from 'node:fs/promises';
import type { User } from '../../src/context.ts';
import { messageOf, SvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue, tryJson } from '../../src/json.ts';
import { parseUserContext } from '../../src/quality/user.ts';

/**
 * Parses `--param key=value`: text for the parameter's type to convert, or the JSON or text of a file with
 * `key=@file`.
 */
export async function parseParamOptions(pairs: readonly string[]): Promise<JsonObject> {
  const entries: [string, JsonValue][] = [];
  for (const pair of pairs) entries.push(await parsePair(pair));
  const twice = entries.find(([key], index) => entries.findIndex(([other]) => other === key) !== index);
  if (twice) throw new SvcError('usage', `--param ${twice[0]} is given twice. Give it once.`);
  return Object.fromEntries(entries);
}

async function parsePair(pair: string): Promise<[string, JsonValue]> {
  const at = pair.indexOf('=');
  if (at < 1) {
    throw new SvcError('usage', `--param ${pair} is not key=value. Write --param name=Ada.`);
  }
  const value = pair.slice(at + 1);
  return [pair.slice(0, at), await toArgument(value, `--param ${pair}`)];
}

/** Reads a value. A doubled `@@` stands for `@` itself. */
async function toArgument(value: string, option: string): Promise<JsonValue> {
  if (value.startsWith('@@') || !value.startsWith('@')) return value.replace(/^@@/, '@');
  const text = await readParamText(value.slice(1), option);
  const json = tryJson(text);
  return json === undefined ? text : json;
}

/** Reads a file that an option names. Throws usage. */
export async function readParamText(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new SvcError('usage', `The file of ${option} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

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
