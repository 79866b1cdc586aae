import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isList, type JsonValue } from '../../json.ts';
import { MAX_DEPTH, NOT_A_MESSAGE, PARSE_ERROR, type Rejection, TOO_DEEP } from './rejection.ts';

/** JSON read from outside, or why it was not. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly rejection: Rejection; readonly body?: JsonValue };

/** A text as JSON that is safe to walk. */
export function parseMessageJson(text: string): ReadResult<JsonValue> {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isTooDeep(value) ? { ok: false, rejection: TOO_DEEP } : { ok: true, value };
  } catch {
    return { ok: false, rejection: PARSE_ERROR };
  }
}

/** One line of a stream as a JSON-RPC message (MCP Transports, stdio). */
export function readMessage(line: string): ReadResult<JSONRPCMessage> {
  const read = parseMessageJson(line);
  if (!read.ok) return read;
  try {
    return { ok: true, value: parseJSONRPCMessage(read.value) };
  } catch {
    return { ok: false, rejection: NOT_A_MESSAGE, body: read.value };
  }
}

/** Whether a value nests deeper than the limit; looks no further than that, so no input can exhaust the stack. */
export function isTooDeep(value: JsonValue, limit: number = MAX_DEPTH): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (limit === 0) return true;
  // Loops over keys: a list of the values of a large object would take memory.
  if (isList(value)) for (const child of value) if (isTooDeep(child, limit - 1)) return true;
  if (!isList(value))
    for (const key of Object.keys(value)) if (isTooDeep(value[key] ?? null, limit - 1)) return true;
  return false;
}
