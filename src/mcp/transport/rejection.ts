import { REJECTIONS } from '../../errors.ts';
import { isObject, type JsonValue } from '../../json.ts';

/** How deep the JSON of one message may nest. */
export const MAX_DEPTH = 64;

/** What a message is refused with before it reaches a handler. */
export interface Rejection {
  /** Over HTTP. */
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A client that sends something else than JSON. */
export const NOT_JSON: Rejection = {
  ...REJECTIONS.media_type_unsupported,
  message: 'Unsupported Media Type: the Content-Type must be application/json.',
};

/** A client that reads neither form of reply. */
export const NOT_ACCEPTABLE: Rejection = {
  ...REJECTIONS.not_acceptable,
  message: 'Not Acceptable: the Accept header must allow application/json or text/event-stream.',
};

/** A message that is no JSON. */
export const PARSE_ERROR: Rejection = {
  ...REJECTIONS.message_unparsable,
  message: 'Parse error: the message is not valid JSON.',
};

/** A message that nests too deep to be worth looking at. */
export const TOO_DEEP: Rejection = {
  ...REJECTIONS.message_invalid,
  message: `Invalid request: the message nests deeper than ${MAX_DEPTH} levels.`,
};

/** JSON that is no JSON-RPC message. */
export const NOT_A_MESSAGE: Rejection = {
  ...REJECTIONS.message_invalid,
  message: 'Invalid request: this is not a JSON-RPC 2.0 message.',
};

/** A refusal as a JSON-RPC error response, under the id of the request where it has one. */
export function toRejection({ code, message, data }: Rejection, request?: JsonValue) {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { jsonrpc: '2.0', id: idOf(request), error };
}

/** A refusal as an HTTP response. */
export function toRejectionResponse(refusal: Rejection, request?: JsonValue): Response {
  return Response.json(toRejection(refusal, request), { status: refusal.status });
}

function idOf(request: JsonValue | undefined): string | number | null {
  if (!isObject(request) || typeof request.method !== 'string') return null;
  return typeof request.id === 'string' || typeof request.id === 'number' ? request.id : null;
}
