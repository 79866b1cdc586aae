import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../src/ports.ts';

/** When a server has too much to do. */
export interface DoorOptions {
  /** The requests that each turn of the event loop takes, however long it lasts. */
  readonly always?: number;
  /** How long the first request of a turn was ago when more are refused (milliseconds). */
  readonly turnMs?: number;
  /** How often the log says how many were refused (milliseconds). */
  readonly everyMs?: number;
  /** Gets a line at once, and then how many there were since the last one. */
  readonly log?: Log;
}

/** Answers a request that is one too many, and says whether it did. */
export type Refuse = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * A server that is offered more than it can do answers fewer and fewer in time, since it begins them all: their queue is in
 * the sockets, where nobody sees it. It shows in turns of the event loop that do not end. What comes late in such a turn is
 * refused at a fraction of the cost of an answer, so that the others are answered soon.
 */
export function createDoor({ always = 64, turnMs = 250, everyMs = 10_000, log }: DoorOptions = {}): Refuse {
  const count = countRefused(everyMs, log);
  let taken = 0;
  let began = 0;
  const endTurn = () => {
    taken = 0;
  };
  return (request, response) => {
    if (taken === 0) {
      began = performance.now();
      setImmediate(endTurn);
    }
    taken += 1;
    if (taken <= always || performance.now() - began < turnMs || isProbe(request)) return false;
    count();
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end(BUSY);
    return true;
  };
}

const BUSY = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32603, message: 'The server has too much to do; try again.' },
});

/** Whoever ends what seems dead would make it worse. */
function isProbe({ url }: IncomingMessage): boolean {
  return url === '/health';
}

function countRefused(everyMs: number, log: Log = () => {}): () => void {
  let refused = 0;
  let said = Number.NEGATIVE_INFINITY;
  return () => {
    refused += 1;
    if (performance.now() - said < everyMs) return;
    log({ level: 'warn', message: 'requests are refused: there is too much to do', fields: { refused } });
    refused = 0;
    said = performance.now();
  };
}
