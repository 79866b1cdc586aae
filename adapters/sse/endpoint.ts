import { setTimeout } from 'node:timers/promises';
import {
  isJsonContentType,
  isSpecType,
  type JSONRPCMessage,
  type RequestId,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import type { SseEndpoint } from '../../src/app.ts';
import type { Runtime } from '../../src/call/runtime.ts';
import type { User } from '../../src/context.ts';
import { busyError, SvcError } from '../../src/errors.ts';
import type { Leave } from '../../src/http/body-room.ts';
import type { Caller } from '../../src/mcp/context.ts';
import { createServer, type ServeOptions } from '../../src/mcp/server.ts';
import { createSession, type McpSession } from '../../src/mcp/sessions/session.ts';
import { subjectOf } from '../../src/mcp/sessions/sessions.ts';
import { type EventStream, mayBeLost, openEventStream } from '../../src/mcp/transport/event-stream.ts';
import { readMessage } from '../../src/mcp/transport/message.ts';
import { NOT_JSON, toRejectionResponse } from '../../src/mcp/transport/rejection.ts';
import { toAccepted, toStream } from '../../src/mcp/transport/response.ts';

/** The routes of HTTP+SSE with their open connections. */
export interface ClosableSse extends SseEndpoint {
  /** Ends all connections as soon as their running requests are answered, after a second at the latest. */
  close(): Promise<void>;
}

/** Options of the HTTP+SSE transport. */
export interface SseOptions extends ServeOptions {
  readonly runtime: () => Runtime;
  /** The maximum number of open connections. Default: 1,000. */
  readonly most?: number;
  /** The maximum number of open connections of one user, so that no user takes those of the others. Default: 100. */
  readonly mostOfUser?: number;
}

const MOST = 1_000;
const MOST_OF_USER = 100;
/** The maximum number of running requests of one connection. Their POSTs have ended, so they hold no socket. */
const MOST_RUNNING = 256;
/** The time to write the answers of running requests when the server stops. */
const ANSWER_MS = 1_000;

/**
 * Creates the transport of revision 2024-11-05: a GET opens an event stream, and a POST carries each message of
 * the client.
 */
export function createSseEndpoint({
  runtime,
  most = MOST,
  mostOfUser = MOST_OF_USER,
  ...options
}: SseOptions): ClosableSse {
  const connections = new Map<string, SseConnection>();
  let closed = false;
  const open = (caller: Caller, path: string): SseConnection => {
    if (closed) throw busyError('The server is stopping');
    const isFull = caller.user !== null && countOf(connections, caller.user) >= mostOfUser;
    if (isFull || connections.size >= most) {
      throw busyError('Too many clients are connected', {
        detail: { retry_after: 5 },
      });
    }
    const id = crypto.randomUUID();
    const connection = new SseConnection({
      id,
      address: `${path}?session_id=${id}`,
      user: caller.user,
      onClosed: () => connections.delete(id),
    });
    connections.set(id, connection);
    connect(connection, runtime(), options);
    return connection;
  };
  return {
    open: (caller, path) => toStream(open(caller, path).readable),
    receive: (id, { headers, body, caller, hold }) => {
      const connection = connections.get(id);
      if (!connection?.belongsTo(caller.user)) throw new SvcError('not_found', 'There is no such session.');
      if (!isJsonContentType(headers.get('content-type'))) return toRejectionResponse(NOT_JSON);
      const read = readMessage(body);
      if (!read.ok) return toRejectionResponse(read.rejection, read.body);
      connection.receive(read.value, caller, hold);
      return toAccepted();
    },
    close: async () => {
      closed = true;
      const answered = Promise.all([...connections.values()].map((connection) => connection.answered()));
      await Promise.race([answered, setTimeout(ANSWER_MS, undefined, { ref: false })]);
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}

/** Counts the connections of a user. */
function countOf(connections: ReadonlyMap<string, SseConnection>, user: User): number {
  return [...connections.values()].filter((connection) => connection.belongsTo(user)).length;
}

function connect(connection: SseConnection, runtime: Runtime, options: ServeOptions): void {
  const { callerOf } = connection;
  const server = createServer(runtime, {
    ...options,
    era: 'legacy',
    batches: false,
    sessions: true,
    callerOf,
    idOf: ({ mcpReq }) => mcpReq.id,
  });
  server.onerror = ({ message }) => runtime.log({ level: 'debug', message: `mcp: ${message}` });
  void server.connect(connection);
}

interface RunningRequest {
  readonly caller: Caller;
  readonly leave: Leave;
}

/** The id and the owner of a connection. */
interface ConnectionOptions {
  readonly id: string;
  /** The address for the messages of its client. */
  readonly address: string;
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
  readonly #running = new Map<RequestId, RunningRequest>();
  #onAnswered: () => void = () => {};
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#stream = openEventStream(() => void this.close());
    this.#stream.send(`event: endpoint\ndata: ${options.address}\n\n`);
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

  /** Delivers a message of a POST. Throws busy if too many requests run, and request_invalid for an id of one that runs. */
  receive(message: JSONRPCMessage, caller: Caller, hold: () => Leave): void {
    if (this.#closed) return;
    if ('method' in message && 'id' in message) {
      if (this.#running.size >= MOST_RUNNING) throw busyError('Too many requests of this connection run');
      if (this.#running.has(message.id))
        throw new SvcError('request_invalid', 'A request with this id runs.');
      this.#running.set(message.id, { caller, leave: hold() });
    }
    this.onmessage?.(message);
    // A cancelled request is never answered. The SDK drops a malformed cancellation, and the request runs on.
    if (!('id' in message) && isSpecType.CancelledNotification(message))
      this.#settle(message.params.requestId);
  }

  /** Resolves when no request runs. */
  answered(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAnswered = resolve;
      if (this.#running.size === 0) resolve();
    });
  }

  #settle(id: RequestId | undefined): void {
    if (id === undefined) return;
    this.#running.get(id)?.leave();
    this.#running.delete(id);
    if (this.#running.size === 0) this.#onAnswered();
  }

  /** Returns the caller of the request that a handler is answering. The POST that sent it has ended already. */
  readonly callerOf = ({ mcpReq }: ServerContext): Caller => {
    const running = this.#running.get(mcpReq.id);
    if (running === undefined) throw new Error('the request is already answered');
    const session = this.#session;
    return { ...running.caller, sessionId: session.id, session, signal: mcpReq.signal, streams: true };
  };

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && mayBeLost(message)) this.#stream.offer(message);
    else this.#stream.write(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const { leave } of this.#running.values()) leave();
    this.#onAnswered();
    this.#stream.close();
    this.onclose?.();
    this.#options.onClosed();
  }
}
