import type { JsonValue } from '../json.ts';
import { MAX_DEPTH } from './depth.ts';
import { toReply } from './reply.ts';
import { isObject } from './wire.ts';

/** What a message is refused with before it reaches a handler. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A client that sends something else than JSON. */
export const NOT_JSON: Refusal = {
  status: 415,
  code: -32600,
  message: 'Unsupported Media Type: the Content-Type must be application/json.',
};

/** A client that reads neither form of reply. */
export const NOT_ACCEPTABLE: Refusal = {
  status: 406,
  code: -32600,
  message: 'Not Acceptable: the Accept header must allow application/json or text/event-stream.',
};

/** A body that is no JSON. */
export const PARSE_ERROR: Refusal = {
  status: 400,
  code: -32700,
  message: 'Parse error: the body is not valid JSON.',
};

/** A body that nests too deep to be worth looking at. */
export const TOO_DEEP: Refusal = {
  status: 400,
  code: -32600,
  message: `Bad Request: the body nests deeper than ${MAX_DEPTH} levels.`,
};

/** A refusal as a JSON-RPC error response, under the id of the request where it has one. */
export function toRefusal({ status, code, message, data }: Refusal, body?: JsonValue): Response {
  const error = data === undefined ? { code, message } : { code, message, data };
  return toReply({ jsonrpc: '2.0', id: idOf(body), error }, 'json', status);
}

function idOf(body: JsonValue | undefined): string | number | null {
  if (!isObject(body) || typeof body.method !== 'string') return null;
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null;
}
