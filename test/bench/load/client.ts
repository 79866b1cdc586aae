import type { Socket } from 'node:net';
import { type Asked, connect, exchange, OWN_TOOL } from './exchange.ts';

/* A program: asks a server for one row after the other over raw sockets, in a process of its own, and checks each answer. */

/** One stretch of load. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly ms: number;
  /** The number of different rows that are asked for. */
  readonly ids: number;
  /** Whether the server answers each call for itself; a constant answer is not checked. */
  readonly checked: boolean;
  /** Default: the tool of the bench's projects. */
  readonly asked?: Asked;
}

/** The outcome of a stretch: its calls, and the latencies of two percentiles in milliseconds. */
export interface Outcome {
  readonly calls: number;
  /** Answers with a row that the call did not ask for. */
  readonly wrong: number;
  /** Errors, of HTTP or of the tool, and connections that ended. */
  readonly failed: number;
  readonly elapsedMs: number;
  readonly p50: number;
  readonly p99: number;
}

async function run({ connections, ms, ids, checked, asked = OWN_TOOL, ...load }: Load): Promise<Outcome> {
  const url = new URL(load.url);
  const target = { url, asked, checked };
  const sockets = await Promise.all(Array.from({ length: connections }, () => connect(url)));
  const latencies: number[] = [];
  const endings = { right: 0, wrong: 0, refused: 0, failed: 0 };
  // Another run asks for other rows.
  let next = Math.floor(Math.random() * ids);
  const from = performance.now();
  const lane = async (first: Socket): Promise<void> => {
    let socket = first;
    while (performance.now() < from + ms) {
      const begun = performance.now();
      next += 1;
      endings[await exchange(socket, target, (next * 7) % ids)] += 1;
      latencies.push(performance.now() - begun);
      if (socket.destroyed) socket = await connect(url);
    }
    socket.destroy();
  };
  await Promise.all(sockets.map(lane));
  const elapsedMs = performance.now() - from;
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const { wrong, refused, failed } = endings;
  return { calls: sorted.length, wrong, failed: failed + refused, elapsedMs, p50: at(0.5), p99: at(0.99) };
}

process.on('message', async (load: Load) => {
  process.send?.(await run(load));
});
