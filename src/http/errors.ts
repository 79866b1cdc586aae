import { ERRORS, type SvcError, toPublicText } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { toErrorPage } from '../pages/error.ts';
import { wantsHtml } from '../pages/page.ts';

/** The answer to a request that failed. */
interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** The request that is answered with an error. */
interface FailedRequest {
  readonly request: Request;
  readonly path: string;
  readonly requestId: string;
  /** The start page of the server, for browsers. */
  readonly home?: string;
}

/** Answers a request with an error, and a browser with a page. */
export async function toErrorResponse(error: SvcError, failed: FailedRequest): Promise<Response> {
  const { request, path, requestId, home } = failed;
  const { status, headers, body } = toErrorAnswer(error, path, requestId);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || !wantsHtml(request.headers.get('accept'))) return Response.json(body, { status, headers });
  const message = publicTextOf(error, requestId);
  return toErrorPage({ status, message, ...(home === undefined ? {} : { home }) }, headers);
}

function publicTextOf(error: SvcError, requestId: string): string {
  const text = toPublicText(error);
  return ERRORS[error.code].shown ? text : `${text} (error id ${requestId})`;
}

/** Returns the answer for an error: a JSON-RPC error on the paths of MCP, plain JSON elsewhere. */
export function toErrorAnswer(error: SvcError, path: string, requestId: string): ErrorAnswer {
  const { http, rpc } = ERRORS[error.code];
  const message = publicTextOf(error, requestId);
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
