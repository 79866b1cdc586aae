import type { Socket } from 'node:net';
import { connect, send } from '../bench/load/exchange.ts';

/** Connections to one server. A call takes a free one or opens another. */
export interface Line {
  /** Sends the bytes of a request; null if the connection ended before the response. */
  call(request: string): Promise<string | null>;
  /** The number of connections that are busy. */
  busy(): number;
  /** A connection of its own, which the caller ends. */
  open(): Promise<Socket>;
  close(): void;
}

/** The server closes a connection after 65 idle seconds. A request at that moment would be lost, as with any client. */
const MOST_IDLE_MS = 50_000;

interface Idle {
  readonly socket: Socket;
  readonly since: number;
}

/** Opens no connection until the first call. */
export function createLine(url: URL): Line {
  const idle: Idle[] = [];
  /** The connection that was used last; those that idle for too long are closed. */
  const takeIdle = (): Socket | undefined => {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      if (!last.socket.destroyed && performance.now() - last.since < MOST_IDLE_MS) return last.socket;
      last.socket.destroy();
    }
    return undefined;
  };
  let busy = 0;
  return {
    async call(request) {
      busy += 1;
      try {
        const socket = takeIdle() ?? (await connect(url));
        const response = await send(socket, request);
        if (!socket.destroyed && !/\r\nconnection: close/i.test(response ?? ''))
          idle.push({ socket, since: performance.now() });
        else socket.destroy();
        return response;
      } finally {
        busy -= 1;
      }
    },
    busy: () => busy,
    open: () => connect(url),
    close: () => {
      for (const { socket } of idle) socket.destroy();
    },
  };
}
