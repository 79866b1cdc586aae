import type { ToolEntry } from '../catalog/model.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Era } from './era.ts';

/** Whether a value is a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a declared result has to travel as `{result: …}`: legacy revisions know objects only. */
export function isWrapped(entry: ToolEntry, era: Era): boolean {
  const schema = entry.wire.outputSchema;
  return era === 'legacy' && isObject(schema) && schema.type !== 'object';
}

/** A tool as `tools/list` of an era shows it. */
export function toEraTool(entry: ToolEntry, era: Era): JsonObject {
  if (!isWrapped(entry, era)) return entry.wire;
  const result = entry.wire.outputSchema ?? {};
  return {
    ...entry.wire,
    outputSchema: { type: 'object', properties: { result }, required: ['result'] },
  };
}
