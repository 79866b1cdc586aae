import { Agent, request } from 'node:http';

/** Sends JSON-RPC bodies over one kept-alive connection. */
export interface Client {
  post(body: string): Promise<string>;
  close(): void;
}

/** A client cheap enough not to drown what it measures. */
export function createClient(url: URL): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
  };
  return { post: (body) => send(url, { agent, headers, body }), close: () => agent.destroy() };
}

function send(
  url: URL,
  { agent, headers, body }: { agent: Agent; headers: Record<string, string>; body: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const { name } = JSON.parse(body).params;
    const length = Buffer.byteLength(body);
    const options = {
      method: 'POST',
      agent,
      headers: { ...headers, 'mcp-name': name, 'content-length': length },
    };
    const outgoing = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.once('end', () => resolve(text));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** The body of a `tools/call` of the newest revision. */
export function toCall(name: string, args: Record<string, unknown>): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta },
  });
}
