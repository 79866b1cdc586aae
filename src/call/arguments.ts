import type { AnyEntry } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { createArgumentsParser, type Issue, validatorOf } from '../types/validate.ts';

const parsers = new WeakMap<AnyEntry, ReturnType<typeof createArgumentsParser>>();

/** The values of a call with their defaults; throws arguments_invalid with the path of each problem. */
export function checkArguments(entry: AnyEntry, args: JsonObject): JsonObject {
  let parse = parsers.get(entry);
  if (parse === undefined) {
    // Compiled on the first call: a server with 500 tools starts without compiling 500 validators.
    parse = createArgumentsParser(entry.parameters);
    parsers.set(entry, parse);
  }
  const parsed = parse(args);
  if (parsed.ok) return parsed.values;
  throw new SvcError(
    'arguments_invalid',
    `The arguments of ${entry.name} are not valid:\n${toLines(parsed.issues)}`,
    {
      detail: { issues: parsed.issues.map(({ path, message }) => ({ path, message })) },
    },
  );
}

/** The valid ones of arguments that are not all valid, with their defaults. */
export function validArguments({ parameters }: AnyEntry, args: JsonObject): JsonObject {
  const entries = parameters.flatMap((parameter): [string, JsonValue][] => {
    const { name } = parameter;
    const sent = Object.hasOwn(args, name) ? args[name] : parameter.default;
    if (sent === undefined) return [];
    const checked = validatorOf(parameter, 'input')(sent);
    return checked.ok ? [[name, checked.value]] : [];
  });
  return Object.fromEntries(entries);
}

/** One line for each problem, with its path. */
export function toLines(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path ? `- ${path}: ${message}` : `- ${message}`)).join('\n');
}
