import type { Server } from 'node:http';
import type { Socket } from 'node:net';

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

interface Connection {
  used: boolean;
  pending: number;
}

/**
 * Counts the requests of a server and of each connection, and ends connections on which an answer makes no progress for
 * `server.timeout`. A draining server still listens, so that a load balancer learns from `/ready` to stop sending.
 */
export function trackConnections(server: Server): Connections {
  const connections = new Map<Socket, Connection>();
  let running = 0;
  let onIdle: (() => void) | null = null;

  function end(connection: Connection, requests: number): void {
    connection.pending -= requests;
    running -= requests;
    if (requests > 0 && running === 0) onIdle?.();
  }

  server.on('connection', (socket: Socket) => {
    const connection: Connection = { used: false, pending: 0 };
    connections.set(socket, connection);
    // Whoever reads the body of a request resumes its connection.
    socket.on('resume', () => {
      if (connection.pending > MOST_PENDING) socket.pause();
    });
    socket.once('close', () => {
      connections.delete(socket);
      // Responses that wait for an earlier one are not told of the end.
      end(connection, connection.pending);
    });
  });
  server.on('timeout', (socket: Socket) => {
    // A call that takes its time has nothing to write. An answer that its client does not read stays in memory.
    const pending = connections.get(socket)?.pending ?? 0;
    if (pending === 0 || socket.writableLength > 0) socket.destroy();
  });
  server.on('request', ({ socket }, outgoing) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.used = true;
    connection.pending += 1;
    running += 1;
    if (onIdle !== null) outgoing.setHeader('connection', 'close');
    if (connection.pending > MOST_PENDING) socket.pause();
    outgoing.on('close', () => {
      end(connection, Math.min(connection.pending, 1));
      if (connection.pending === MOST_PENDING) socket.resume();
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
