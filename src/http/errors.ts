import { ERRORS, type SvcError, toPublicText } from '../errors.ts';

/** Answers a request with an error: a JSON-RPC error on the paths of MCP, plain JSON elsewhere. */
export function toErrorResponse(error: SvcError, path: string, requestId: string): Response {
  const { http, rpc, shown } = ERRORS[error.code];
  const message = shown ? toPublicText(error) : `${toPublicText(error)} (error id ${requestId})`;
  const body = isMcpPath(path)
    ? { jsonrpc: '2.0', id: null, error: { code: rpc, message } }
    : { error: error.code, message };
  return Response.json(body, { status: http, headers: headersOf(error) });
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
