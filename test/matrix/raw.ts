import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Reach } from './clients.ts';

const REVISION = '2026-07-28';

/** A `tools/call`: its tool and its arguments. */
export interface RawCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

/** One `tools/call` without any client in between: the answer's own bytes. */
export async function rawCall(
  reach: Reach,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  if (reach.kind !== 'stdio') return (await sendCall(reach.url, { tool, args })).text();
  const lines = await write(reach, [toMessage({ name: tool, arguments: args })]);
  return lines[0] ?? '';
}

/** Sends a `tools/call` over HTTP. */
export function sendCall(url: URL, { tool, args }: RawCall, signal?: AbortSignal): Promise<Response> {
  return post(url, toMessage({ name: tool, arguments: args }), { tool, signal });
}

/** Sends all calls at once to one process over stdio. Returns the answers in the order of the calls. */
export async function lineCalls(
  reach: Extract<Reach, { kind: 'stdio' }>,
  calls: readonly RawCall[],
): Promise<readonly string[]> {
  const messages = calls.map(({ tool, args }, id) => toMessage({ name: tool, arguments: args }, { id }));
  const answers: string[] = [];
  for (const line of await write(reach, messages)) answers[JSON.parse(line).id] = line;
  return answers;
}

/** Starts a `tools/call` and answers once it runs: its progress is told as it goes. */
export function startCall(url: URL, tool: string, args: Record<string, unknown>): Promise<Response> {
  return post(url, toMessage({ name: tool, arguments: args }, { meta: { progressToken: 1 } }), { tool });
}

function toMessage(params: object, { id = 7, meta = {} }: { id?: number; meta?: object } = {}): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...params, _meta } });
}

interface PostOptions {
  readonly tool: string;
  readonly signal?: AbortSignal | undefined;
}

function post(url: URL, body: string, { tool, signal }: PostOptions): Promise<Response> {
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
    signal: signal ?? null,
  });
}

/** Everything the process writes to stdout must be one answer for each message. It stops once all are there. */
async function write(
  reach: Extract<Reach, { kind: 'stdio' }>,
  messages: readonly string[],
): Promise<readonly string[]> {
  const child = spawn(reach.command, reach.args, { cwd: reach.cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines: string[] = [];
  child.stdin.write(messages.map((message) => `${message}\n`).join(''));
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.push(line) === messages.length) child.stdin.end();
  }
  if (lines.length !== messages.length) {
    throw new Error(`expected ${messages.length} lines on stdout, not ${lines.length}`);
  }
  return lines;
}
