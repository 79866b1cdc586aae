/** Sends a JSON-RPC request to an MCP endpoint, as clients older than 2026-07-28 do. */
export function sendLegacy(url: string | URL, method: string, params: object = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

/** Sends a `tools/call`. */
export function callLegacy(url: string | URL, name: string, args: object = {}): Promise<Response> {
  return sendLegacy(url, 'tools/call', { name, arguments: args });
}
