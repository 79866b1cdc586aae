import { ERRORS, type SvcError, toPublicText } from '../errors.ts';

/** A failed request as an HTTP response; where MCP is spoken its body is a JSON-RPC error, as clients expect there. */
export function toErrorResponse(error: SvcError, path: string, requestId: string): Response {
  const { http, rpc, shown } = ERRORS[error.code];
  const message = shown ? toPublicText(error) : `${toPublicText(error)} (error id ${requestId})`;
  const body = isMcpPath(path)
    ? { jsonrpc: '2.0', id: null, error: { code: rpc, message } }
    : { error: error.code, message };
  return Response.json(body, { status: http, headers: headersOf(error) });
}

/** When to come again (RFC 9110, 10.2.3), and how to get a token (11.6.1). */
function headersOf({ detail }: SvcError): Record<string, string> {
  const { retry_after, challenge } = detail ?? {};
  return {
    ...(typeof retry_after === 'number' ? { 'retry-after': String(retry_after) } : {}),
    ...(typeof challenge === 'string' ? { 'www-authenticate': challenge } : {}),
  };
}

/** Whether a path is one that takes messages of MCP. */
export function isMcpPath(path: string): boolean {
  return /^\/(?:mcp|messages)\/?$/.test(path);
}
