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

/** Opens no connection until the first call. */
export function createLine(url: URL): Line {
  const idle: Socket[] = [];
  let busy = 0;
  return {
    async call(request) {
      busy += 1;
      try {
        let socket = idle.pop();
        while (socket?.destroyed) socket = idle.pop();
        socket ??= await connect(url);
        const response = await send(socket, request);
        if (!socket.destroyed && !/\r\nconnection: close/i.test(response ?? '')) idle.push(socket);
        else socket.destroy();
        return response;
      } finally {
        busy -= 1;
      }
    },
    busy: () => busy,
    open: () => connect(url),
    close: () => {
      for (const socket of idle) socket.destroy();
    },
  };
}
