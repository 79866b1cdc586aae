import type { Socket } from 'node:net';
import { CALLED_ROWS } from '../projects.ts';
import { connect, type Ending, exchange, OWN_TOOL } from './exchange.ts';

/* A program: sends requests at a fixed rate, however slowly the server answers, on as many connections as that takes. */

/** A stretch of requests at a fixed rate. */
export interface Flood {
  readonly url: string;
  readonly perSecond: number;
  readonly ms: number;
  readonly mostConnections: number;
}

/** Latencies in milliseconds of each ending, and of one more request at the end. */
export interface FloodOutcome {
  readonly endings: Readonly<Record<Ending, readonly number[]>>;
  /** Requests that were not sent, because all connections were in use. */
  readonly unsent: number;
  readonly connections: number;
  readonly elapsedMs: number;
  readonly afterwardsMs: number;
}

const TICK_MS = 5;
/** Nothing that a server does with a request takes longer. */
const MOST_MS = 60_000;

async function flood({ url: address, perSecond, ms, mostConnections }: Flood): Promise<FloodOutcome> {
  const url = new URL(address);
  const target = { url, asked: OWN_TOOL, checked: true };
  const idle: Socket[] = [];
  const endings: Record<Ending, number[]> = { right: [], wrong: [], refused: [], failed: [] };
  let sent = 0;
  let unsent = 0;
  let connections = 0;
  const send = async (id: number): Promise<void> => {
    const begun = performance.now();
    let socket = idle.pop();
    try {
      if (socket === undefined || socket.destroyed) {
        connections += 1;
        socket = await connect(url);
      }
      const ending = await exchange(socket, target, id);
      endings[ending].push(performance.now() - begun);
    } catch {
      endings.failed.push(performance.now() - begun);
    }
    if (socket === undefined || socket.destroyed) connections -= 1;
    else idle.push(socket);
  };
  const from = performance.now();
  const running = new Set<Promise<void>>();
  while (performance.now() < from + ms) {
    const due = Math.floor(((performance.now() - from) * perSecond) / 1000);
    for (; sent + unsent < due; ) {
      if (idle.length === 0 && connections >= mostConnections) {
        unsent += 1;
        continue;
      }
      sent += 1;
      const one = send((sent * 7) % CALLED_ROWS);
      running.add(one);
      void one.finally(() => running.delete(one));
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const elapsedMs = performance.now() - from;
  await Promise.race([Promise.all(running), new Promise((resolve) => setTimeout(resolve, MOST_MS).unref())]);
  const begun = performance.now();
  const last = await connect(url);
  const ending = await exchange(last, target, 1);
  const afterwardsMs = ending === 'right' ? performance.now() - begun : Number.POSITIVE_INFINITY;
  last.destroy();
  for (const socket of idle) socket.destroy();
  return { endings, unsent, connections, elapsedMs, afterwardsMs };
}

process.on('message', async (asked: Flood) => {
  process.send?.(await flood(asked));
});
