import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { isObject, type JsonObject } from '../../../../src/json.ts';

/** One request as it came. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

/** The answer of the double. With `hang` it sends nothing, and with `stall` only the beginning. */
export type Reply =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }
  | 'hang'
  | 'stall';

/** A vendor's service on a port of its own: one reply a request, the last one again and again. */
export async function startDouble(replies: readonly (Reply | ((body: JsonObject) => Reply))[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (!isObject(body)) throw new Error('no object came');
    received.push({ path: request.url ?? '', headers: request.headers, body });
    const next = replies[Math.min(received.length, replies.length) - 1] ?? 'hang';
    const reply = typeof next === 'function' ? next(body) : next;
    if (reply === 'hang') return;
    if (reply === 'stall') {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
      return;
    }
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received };
}

/** An answer of the Messages API. */
export function claudeMessage(content: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content,
    stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 40,
      output_tokens: 8,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 0,
    },
    ...more,
  };
}

/** An answer of chat completions. */
export function openAiCompletion(message: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'gpt-test',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, ...message },
        logprobs: null,
        finish_reason: message.tool_calls === undefined ? 'stop' : 'tool_calls',
        ...more,
      },
    ],
    usage: { prompt_tokens: 42, completion_tokens: 8, total_tokens: 50 },
  };
}

/** A call in chat completions; its arguments are text. */
export function openAiCall(id: string, name: string, args: string): JsonObject {
  return { id, type: 'function', function: { name, arguments: args } };
}
