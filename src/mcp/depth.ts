import type { JsonValue } from '../json.ts';

/** How deep the JSON of one message may nest. */
export const MAX_DEPTH = 64;

/** Whether a value nests deeper than the limit; looks no further than that, so no input can exhaust the stack. */
export function isTooDeep(value: JsonValue, limit: number = MAX_DEPTH): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (limit === 0) return true;
  return Object.values(value).some((child) => isTooDeep(child, limit - 1));
}
