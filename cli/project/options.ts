import { readFile } from 'node:fs/promises';
import type { DatabaseChoice } from '../../adapters/node/database/database-choice.ts';
import { type Architecture, parseArchitecture } from '../../deploy/native/architecture.ts';
import {
  type EngineName,
  TARGET_CHOICES,
  TARGET_NAMES,
  type TargetChoice,
  type TargetName,
} from '../../deploy/targets/targets.ts';
import type { User } from '../../src/context.ts';
import { messageOf, SvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import { decodeLoosely } from '../../src/project/yaml/decode.ts';
import { parseUserContext } from '../../src/quality/user.ts';
import { tryExactJson } from '../../src/types/coerce.ts';
import type { CommandInput } from '../command.ts';
import { type CheckedProject, databaseOf } from './project.ts';

/** The `--target` of a command; null without one. */
export function targetOf(input: CommandInput): TargetChoice | null {
  const asked = input.text('target');
  if (asked === undefined) return null;
  const target = TARGET_CHOICES.find((name) => name === asked);
  if (target) return target;
  throw new SvcError('usage', `--target ${asked} is not known. Choose ${TARGET_CHOICES.join(', ')}.`);
}

/** The project's database as a target opens it. Every artefact serves it read-only with the wasm engine. */
export function databaseFor(checked: CheckedProject, target: TargetChoice | null): DatabaseChoice {
  const own = databaseOf(checked);
  if (target === null) return own;
  return target === 'native' ? { ...own, engine: 'native' } : { ...own, engine: 'wasm', readonly: true };
}

/** The platform that `--target` names; throws if the option is missing or names none. */
export function platformOf(input: CommandInput, command: string): TargetName {
  const asked = input.text('target');
  const target = TARGET_NAMES.find((name) => name === asked);
  if (target) return target;
  const what = asked === undefined ? `svc ${command} needs --target` : `--target ${asked} is not known`;
  throw new SvcError('usage', `${what}. Choose ${TARGET_NAMES.join(', ')}.`);
}

const ENGINES = ['wasm', 'native'] as const;

/** The `--engine` of a build; wasm without one. */
export function engineOf(input: CommandInput): EngineName {
  const asked = input.text('engine') ?? 'wasm';
  const engine = ENGINES.find((name) => name === asked);
  if (engine) return engine;
  throw new SvcError('usage', `--engine ${asked} is not known. Choose ${ENGINES.join(' or ')}.`);
}

/** The `--arch` of a build; undefined without one. */
export function archOf(input: CommandInput): Architecture | undefined {
  const asked = input.text('arch');
  return asked === undefined ? undefined : parseArchitecture(asked);
}

type ParseJson = (text: string) => JsonValue | undefined;

/**
 * Parses `--param key=value`: text for the parameter's type to convert, or the JSON or text of a file with
 * `key=@file`. `parse` returns undefined for a text that is not JSON.
 */
export async function parseParamOptions(
  pairs: readonly string[],
  parse: ParseJson = tryExactJson,
): Promise<JsonObject> {
  const entries: [string, JsonValue][] = [];
  for (const pair of pairs) entries.push(await parsePair(pair, parse));
  const twice = entries.find(([key], index) => entries.findIndex(([other]) => other === key) !== index);
  if (twice) throw new SvcError('usage', `--param ${twice[0]} is given twice. Give it once.`);
  return Object.fromEntries(entries);
}

async function parsePair(pair: string, parse: ParseJson): Promise<[string, JsonValue]> {
  const at = pair.indexOf('=');
  if (at < 1) {
    throw new SvcError('usage', `--param ${pair} is not key=value. Write --param name=Ada.`);
  }
  const value = pair.slice(at + 1);
  return [pair.slice(0, at), await toArgument(value, `--param ${pair}`, parse)];
}

/** Reads a value. A doubled `@@` stands for `@` itself. */
async function toArgument(value: string, option: string, parse: ParseJson): Promise<JsonValue> {
  if (value.startsWith('@@') || !value.startsWith('@')) return value.replace(/^@@/, '@');
  const text = await readParamText(value.slice(1), option);
  const json = parse(text);
  return json === undefined ? text : json;
}

/** Reads a file that an option names: UTF-8, or UTF-16 with a byte order mark. Throws usage. */
export async function readParamText(file: string, option: string): Promise<string> {
  try {
    return decodeLoosely(await readFile(file));
  } catch (cause) {
    throw new SvcError('usage', `The file of ${option} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

const USER_CONTEXT = '--user-context';

/** Parses `--user-context`: JSON, or @file (spec, "User context fields"). */
export async function parseUser(given: string | undefined): Promise<User | null> {
  if (given === undefined) return null;
  const json = given.startsWith('@') ? await readParamText(given.slice(1), USER_CONTEXT) : given;
  return parseUserContext(toObject(json), { from: USER_CONTEXT, id: 'cli' });
}

function toObject(json: string): JsonObject {
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(json);
  } catch (cause) {
    throw new SvcError('usage', `${USER_CONTEXT} is not JSON: ${String(cause)}\nWrite ${EXAMPLE}`, { cause });
  }
  if (isObject(parsed)) return parsed;
  throw new SvcError('usage', `${USER_CONTEXT} must be a JSON object.\nWrite ${EXAMPLE}`);
}

const EXAMPLE = `${USER_CONTEXT} '{"email": "ada@example.com", "role": "analyst"}'`;
