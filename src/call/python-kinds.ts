import type { JsonObject, JsonValue } from '../json.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import { formatOf } from '../types/formats.ts';
import type { TypeNode } from '../types/node.ts';
import type { PythonEntry } from './python.ts';

const kinds = new WeakMap<PythonEntry, JsonObject>();

/** Lists the arguments that become other than JSON types in Python (docs/reference/python.md). */
export function kindsOf(entry: PythonEntry): JsonObject {
  const known = kinds.get(entry);
  if (known !== undefined) return known;
  const parameters = [...entry.parameters, ...answerParameters(entry.ask ?? [])];
  const found = fieldsOf(parameters.map((parameter) => [parameter.name, parameter]));
  kinds.set(entry, found);
  return found;
}

function fieldsOf(fields: readonly (readonly [string, TypeNode])[]): JsonObject {
  const found = fields.flatMap(([name, node]) => {
    const kind = kindOf(node);
    return kind === null ? [] : [[name, kind] as const];
  });
  return Object.fromEntries(found);
}

function kindOf({ type, format, items, properties }: TypeNode): JsonValue {
  switch (type) {
    case 'integer':
    case 'number':
      return type;
    case 'string':
      return format === undefined ? null : (formatOf(format).python?.kind ?? null);
    case 'array':
      return wrapped('items', items === undefined ? null : kindOf(items));
    case 'object': {
      const fields = fieldsOf(Object.entries(properties ?? {}));
      return wrapped('properties', Object.keys(fields).length === 0 ? null : fields);
    }
    case 'boolean':
      return null;
  }
}

function wrapped(key: string, kind: JsonValue): JsonValue {
  return kind === null ? null : { [key]: kind };
}
