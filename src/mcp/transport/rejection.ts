import { REJECTIONS } from '../../errors.ts';
import { isObject, type JsonValue } from '../../json.ts';

/** The maximum depth of the JSON of one message. */
export const MAX_DEPTH = 64;

/** The error of a message that is rejected before it reaches a handler. */
export interface Rejection {
  /** The HTTP status. */
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The request body is not declared as JSON. */
export const NOT_JSON: Rejection = {
  ...REJECTIONS.media_type_unsupported,
  message: 'Unsupported Media Type: the Content-Type must be application/json.',
};

/** The client accepts neither form of response. */
export const NOT_ACCEPTABLE: Rejection = {
  ...REJECTIONS.not_acceptable,
  message: 'Not Acceptable: the Accept header must allow application/json or text/event-stream.',
};

/** The client does not accept the stream that it asks for. */
export const NO_STREAM: Rejection = {
  ...REJECTIONS.not_acceptable,
  message: 'Not Acceptable: the Accept header must allow text/event-stream.',
};

/** The message is not JSON. */
export const PARSE_ERROR: Rejection = {
  ...REJECTIONS.message_unparsable,
  message: 'Parse error: the message is not valid JSON.',
};

/** The message is not a text. */
export const NOT_UTF8: Rejection = {
  ...REJECTIONS.message_unparsable,
  message: 'Parse error: the message is not valid UTF-8.',
};

/** The message nests too deep. */
export const TOO_DEEP: Rejection = {
  ...REJECTIONS.message_invalid,
  message: `Invalid request: the message nests deeper than ${MAX_DEPTH} levels.`,
};

/** The most messages of a batch. */
export const MAX_BATCH = 100;

/** The batch has too many messages. */
export const BATCH_TOO_LONG: Rejection = {
  ...REJECTIONS.message_invalid,
  message: `Bad Request: a batch holds at most ${MAX_BATCH} messages.`,
};

/** The JSON is not a JSON-RPC message. */
export const NOT_A_MESSAGE: Rejection = {
  ...REJECTIONS.message_invalid,
  message: 'Invalid request: this is not a JSON-RPC 2.0 message.',
};

/** Turns a rejection into a JSON-RPC error response, with the id of the request if it has one. */
export function toRejection({ code, message, data }: Rejection, request?: JsonValue) {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { jsonrpc: '2.0', id: idOf(request), error };
}

/** Turns a rejection into an HTTP response. */
export function toRejectionResponse(refusal: Rejection, request?: JsonValue): Response {
  return Response.json(toRejection(refusal, request), { status: refusal.status });
}

function idOf(request: JsonValue | undefined): string | number | null {
  if (!isObject(request) || typeof request.method !== 'string') return null;
  return typeof request.id === 'string' || typeof request.id === 'number' ? request.id : null;
}
