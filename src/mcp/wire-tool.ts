import type { ToolEntry } from '../catalog/model.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Era } from './era.ts';

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
