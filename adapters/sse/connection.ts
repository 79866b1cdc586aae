import type { JSONRPCMessage, RequestId, ServerContext, Transport } from '@modelcontextprotocol/server';
import type { User } from '../../src/context.ts';
import type { Caller } from '../../src/mcp/context.ts';
import { createSession, type McpSession } from '../../src/mcp/sessions/session.ts';
import { subjectOf } from '../../src/mcp/sessions/sessions.ts';
import { type EventStream, openEventStream } from '../../src/mcp/transport/event-stream.ts';

/** The id and the owner of a connection. */
export interface ConnectionOptions {
  readonly id: string;
  /** The user who opened it. Messages of other users are rejected. */
  readonly user: User | null;
  readonly onClosed: () => void;
}

/** One client of the HTTP+SSE transport. It sends messages by POST and receives them from its event stream. */
export class SseConnection implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ConnectionOptions;
  readonly #session: McpSession;
  readonly #stream: EventStream;
  readonly #callers = new Map<RequestId, Caller>();
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#stream = openEventStream(() => void this.close());
    this.#session = { ...createSession(options.id), stream: this.#stream };
  }

  get readable(): ReadableStream<Uint8Array> {
    return this.#stream.readable;
  }

  async start(): Promise<void> {}

  /** Returns whether the user opened this connection. The id alone gives no access. */
  belongsTo(user: User | null): boolean {
    return subjectOf(this.#options.user) === subjectOf(user);
  }

  /** Delivers a message of a POST. */
  receive(message: JSONRPCMessage, caller: Caller): void {
    if (this.#closed) return;
    if ('method' in message && 'id' in message) this.#callers.set(message.id, caller);
    this.onmessage?.(message);
    if ('method' in message && message.method === 'notifications/cancelled') {
      // A cancelled request is never answered.
      this.#callers.delete(message.params?.requestId as RequestId);
    }
  }

  /** Returns the caller of the request that a handler is answering. The POST that sent it has ended already. */
  readonly callerOf = ({ mcpReq }: ServerContext): Caller => {
    const caller = this.#callers.get(mcpReq.id);
    if (caller === undefined) throw new Error('the request is already answered');
    return { ...caller, sessionId: this.#session.id, session: this.#session, signal: mcpReq.signal };
  };

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) && message.id !== undefined) this.#callers.delete(message.id);
    if ('method' in message && !('id' in message)) this.#stream.offer(message);
    else this.#stream.write(message);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stream.close();
    this.onclose?.();
    this.#options.onClosed();
  }
}
