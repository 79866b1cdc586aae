import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { waitingBytes } from '../../../src/streams.ts';

/** The connections of a server and their requests. */
export interface Connections {
  /** Resolves when no request is running, at the latest after `ms`. Responses close their connections meanwhile. */
  drained(ms: number): Promise<void>;
  /** Closes connections that have not sent a request yet: Node counts them as busy. */
  closeUnused(): void;
}

/**
 * The most requests that a connection has sent without an answer before no more is read of it. Clients that pipeline
 * more would otherwise have all of them parsed at once.
 */
const MOST_PENDING = 16;

/** When connections are ended because of the answers that their clients do not read. */
export interface UnreadOptions {
  /** The bytes of all answers that may wait for their clients. */
  readonly most: number;
  /** The time between two looks, in milliseconds. */
  readonly intervalMs: number;
  /** Returns the name of the client. */
  readonly clientOf: (incoming: IncomingMessage) => string;
  /** Gets the number of the connections that were ended. */
  readonly onEnded: (connections: number) => void;
}

interface Connection {
  used: boolean;
  /** The responses that have not ended. */
  readonly pending: Set<ServerResponse>;
}

/** The streams that responses are read from. */
const sources = new WeakMap<ServerResponse, ReadableStream<Uint8Array>>();

/** Tells which stream a response is read from, so that what waits in it counts. */
export function followSource(response: ServerResponse, source: ReadableStream<Uint8Array>): void {
  sources.set(response, source);
}

/** The bytes of a response that wait for its client. */
function unreadBytes(response: ServerResponse): number {
  const source = sources.get(response);
  return response.writableLength + (source === undefined ? 0 : waitingBytes(source));
}

/**
 * Counts the requests of a server and of each connection. Ends connections on which an answer makes no progress for
 * `server.timeout`, and before that if all answers that wait take too much memory. A draining server still listens, so
 * that a load balancer learns from `/ready` to stop sending.
 */
export function trackConnections(server: Server, unread: UnreadOptions): Connections {
  const connections = new Map<Socket, Connection>();
  let running = 0;
  let onIdle: (() => void) | null = null;

  function end(requests: number): void {
    running -= requests;
    if (requests > 0 && running === 0) onIdle?.();
  }

  const look = setInterval(() => {
    const ended = mostUnread([...connections], unread);
    for (const socket of ended) socket.destroy();
    if (ended.length > 0) unread.onEnded(ended.length);
  }, unread.intervalMs).unref();
  server.once('close', () => clearInterval(look));

  server.on('connection', (socket: Socket) => {
    const connection: Connection = { used: false, pending: new Set() };
    connections.set(socket, connection);
    // Whoever reads the body of a request resumes its connection.
    socket.on('resume', () => {
      if (connection.pending.size > MOST_PENDING) socket.pause();
    });
    socket.once('close', () => {
      connections.delete(socket);
      // Responses that wait for an earlier one are not told of the end.
      end(connection.pending.size);
      connection.pending.clear();
    });
  });
  server.on('timeout', (socket: Socket) => {
    // A call that takes its time has nothing to write. An answer that its client does not read stays in memory.
    const pending = connections.get(socket)?.pending.size ?? 0;
    if (pending === 0 || socket.writableLength > 0) socket.destroy();
  });
  server.on('request', ({ socket }, outgoing) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.used = true;
    connection.pending.add(outgoing);
    running += 1;
    if (onIdle !== null) outgoing.setHeader('connection', 'close');
    if (connection.pending.size > MOST_PENDING) socket.pause();
    outgoing.on('close', () => {
      end(connection.pending.delete(outgoing) ? 1 : 0);
      if (connection.pending.size === MOST_PENDING) socket.resume();
      // A kept-alive connection would outlast the server.
      if (!server.listening) server.closeIdleConnections();
    });
  });
  return {
    drained: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
        if (running === 0) onIdle();
      }),
    closeUnused: () => {
      for (const [socket, { used }] of connections) if (!used) socket.destroy();
    },
  };
}

/**
 * Chooses the connections to end so that the answers that wait for their clients take no more than `most` bytes: the
 * largest ones of clients that have more than an equal share. A client keeps its last one with a single answer, which it
 * may be reading as fast as it can.
 */
function mostUnread(
  connections: readonly (readonly [Socket, Connection])[],
  { most, clientOf }: UnreadOptions,
): readonly Socket[] {
  const waiting = connections.flatMap(([socket, { pending }]) => {
    // Answers to pipelined requests wait in their responses, and not in the socket.
    const [response, ...others] = [...pending].filter((one) => unreadBytes(one) > 0);
    if (response === undefined) return [];
    const bytes = [response, ...others].reduce((sum, one) => sum + unreadBytes(one), 0);
    return [{ socket, bytes, client: clientOf(response.req), isSingle: others.length === 0 }];
  });
  const clients = new Map<string, { connections: number; bytes: number }>();
  for (const { client, bytes } of waiting) {
    const own = clients.get(client) ?? { connections: 0, bytes: 0 };
    clients.set(client, { connections: own.connections + 1, bytes: own.bytes + bytes });
  }
  let all = waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  const share = most / clients.size;
  return waiting
    .toSorted((one, other) => other.bytes - one.bytes)
    .flatMap(({ socket, bytes, client, isSingle }) => {
      const own = clients.get(client);
      if (all <= most || own === undefined || own.bytes <= share) return [];
      if (isSingle && own.connections === 1) return [];
      all -= bytes;
      own.bytes -= bytes;
      own.connections -= 1;
      return [socket];
    });
}
