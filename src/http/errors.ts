import { ERRORS, type SvcError, toPublicText } from '../errors.ts';
import type { JsonObject } from '../json.ts';

/** The answer to a request that failed. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** Answers a request with an error. */
export function toErrorResponse(error: SvcError, path: string, requestId: string): Response {
  const { status, headers, body } = toErrorAnswer(error, path, requestId);
  return Response.json(body, { status, headers });
}

/** Returns the answer for an error: a JSON-RPC error on the paths of MCP, plain JSON elsewhere. */
export function toErrorAnswer(error: SvcError, path: string, requestId: string): ErrorAnswer {
  const { http, rpc, shown } = ERRORS[error.code];
  const message = shown ? toPublicText(error) : `${toPublicText(error)} (error id ${requestId})`;
  const body = isMcpPath(path)
    ? { jsonrpc: '2.0', id: null, error: { code: rpc, message } }
    : { error: error.code, message };
  return { status: http, headers: headersOf(error), body };
}

/** The headers `Retry-After` (RFC 9110, 10.2.3) and `WWW-Authenticate` (11.6.1), if the error has them. */
function headersOf({ detail }: SvcError): Record<string, string> {
  const { retry_after, challenge } = detail ?? {};
  return {
    ...(typeof retry_after === 'number' ? { 'retry-after': String(retry_after) } : {}),
    ...(typeof challenge === 'string' ? { 'www-authenticate': challenge } : {}),
  };
}

/** Whether a path takes MCP messages. */
export function isMcpPath(path: string): boolean {
  return /^\/(?:mcp|messages)\/?$/.test(path);
}
