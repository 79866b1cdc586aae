import type { Catalog, ToolEntry } from '../catalog/model.ts';
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
export function toWireTool(entry: ToolEntry, era: Era): JsonObject {
  if (!isWrapped(entry, era)) return entry.wire;
  const result = entry.wire.outputSchema ?? {};
  return {
    ...entry.wire,
    outputSchema: { type: 'object', properties: { result }, required: ['result'] },
  };
}

/** One page of a list, ready for the wire. */
export interface Page {
  readonly tools: readonly JsonObject[];
  readonly nextCursor?: string;
}

/** Every page of `tools/list` by the cursor that asks for it; the first page's is the empty string. */
export function toPages(catalog: Catalog, era: Era, size: number): ReadonlyMap<string, Page> {
  const tools = Object.values(catalog.tools)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => toWireTool(entry, era));
  const pages = new Map<string, Page>();
  for (let start = 0; start === 0 || start < tools.length; start += size) {
    const next = start + size < tools.length ? { nextCursor: toCursor(catalog, start + size) } : {};
    const cursor = start === 0 ? '' : toCursor(catalog, start);
    pages.set(cursor, { tools: tools.slice(start, start + size), ...next });
  }
  return pages;
}

/** Names the catalog, so that a cursor from before a reload is refused instead of skipping tools. */
function toCursor(catalog: Catalog, start: number): string {
  return `${catalog.hash.slice(0, 8)}.${start}`;
}
