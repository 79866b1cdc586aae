import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Reach } from './clients.ts';

const REVISION = '2026-07-28';

/** One `tools/call` without any client in between: the answer's own bytes. */
export async function rawCall(
  reach: Reach,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const message = toMessage({ name: tool, arguments: args });
  if (reach.kind === 'stdio') return write(reach, message);
  return (await post(reach.url, message, tool)).text();
}

/** Starts a `tools/call` and answers once it runs: its progress is told as it goes. */
export function startCall(url: URL, tool: string, args: Record<string, unknown>): Promise<Response> {
  return post(url, toMessage({ name: tool, arguments: args }, { progressToken: 1 }), tool);
}

function toMessage(params: object, meta: object = {}): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { ...params, _meta } });
}

function post(url: URL, body: string, tool: string): Promise<Response> {
  // Beside /sse, which has no answers of its own.
  return fetch(new URL('mcp', url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body,
  });
}

/** Everything the process writes to stdout must be the one message. */
async function write(reach: Extract<Reach, { kind: 'stdio' }>, message: string): Promise<string> {
  const child = spawn(reach.command, reach.args, { cwd: reach.cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines: string[] = [];
  child.stdin.end(`${message}\n`);
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  if (lines.length !== 1) throw new Error(`expected one line on stdout, not ${lines.length}`);
  return lines[0] ?? '';
}
