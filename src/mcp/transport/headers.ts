import type { JSONRPCRequest } from '@modelcontextprotocol/server';

/** The parameter that the Mcp-Name header repeats, by method. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/**
 * Describes the problem of a modern request's standard headers (SEP-2243); null for good ones. Versions are
 * compared before.
 */
export function headerIssue(headers: Headers, request: JSONRPCRequest): string | null {
  if (headers.get('mcp-protocol-version') === null) return 'the MCP-Protocol-Version header is missing';
  const method = headers.get('mcp-method');
  if (method === null) return 'the Mcp-Method header is missing';
  if (method !== request.method) return 'the Mcp-Method header does not name the method of the body';
  const key = NAMED.get(request.method);
  const expected = key === undefined ? undefined : request.params?.[key];
  return typeof expected === 'string' ? nameProblem(headers.get('mcp-name'), expected) : null;
}

function nameProblem(header: string | null, expected: string): string | null {
  if (header === null) return 'the Mcp-Name header is missing';
  const name = decodeHeader(header);
  if (name === null) return 'the Mcp-Name header is not valid Base64';
  return name === expected ? null : 'the Mcp-Name header does not name what the body names';
}

/** A value that is no plain header text travels as `=?base64?…?=`; null when that is malformed. */
function decodeHeader(value: string): string | null {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const encoded = ENCODED.exec(value)?.[1];
  if (encoded === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
