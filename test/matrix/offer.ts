import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * A program: offers calls of hello_world at a rate, whether or not the last ones were answered, in a process of its own so
 * that it keeps its time. Its parent gets how each of them ended.
 */

/** How often, for how long, and whom to ask. */
export interface Offer {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
}

/** What became of a call: `left` when its client did not wait any longer. */
export type Ending = 'answered' | 'busy' | 'deadline' | 'left' | `failed: ${string}`;

/** How the calls ended, each in its place: the first one is the call with the trace of 1. */
export type Offered = readonly Ending[];

/** As many as a balancer keeps open; a call waits until one is free. */
const CONNECTIONS = 256;
/** From when a call was due; nobody waits longer. */
const PATIENCE_MS = 20_000;

/** The trace of a call, by which its record is found. */
export const traceOf = (index: number): string => (index + 1).toString(16).padStart(32, '0');

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

async function call(url: string, traceId: string, patienceMs: number): Promise<Ending> {
  if (patienceMs <= 0) return 'left';
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'hello_world', arguments: { name: traceId } },
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    accept: 'application/json, text/event-stream',
    traceparent: `00-${traceId}-00000000000000aa-01`,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  const sent = request(url, { agent, method: 'POST', headers }, (response) => {
    text(response).then((answer) => resolve(toEnding(response.statusCode, answer, traceId)), reject);
  });
  const impatient = setTimeout(() => {
    resolve('left');
    sent.destroy();
  }, patienceMs);
  sent.on('error', reject);
  sent.end(body);
  return promise.catch((error): Ending => `failed: ${error}`).finally(() => clearTimeout(impatient));
}

function toEnding(status: number | undefined, answer: string, traceId: string): Ending {
  if (answer.includes(`Hello, ${traceId}!`)) return 'answered';
  if (status === 503 || /"busy"/.test(answer)) return 'busy';
  return /"deadline_exceeded"/.test(answer) ? 'deadline' : `failed: ${status} ${answer.slice(0, 200)}`;
}

/** Each call is due when the rate says so, whether or not the ones before it have ended. */
async function offer({ url, perSecond, seconds }: Offer): Promise<Offered> {
  const endings: Ending[] = [];
  const total = perSecond * seconds;
  const from = performance.now();
  let next = 0;
  const connection = async (): Promise<void> => {
    while (next < total) {
      const index = next++;
      const due = from + (index / perSecond) * 1_000;
      await sleep(Math.max(0, due - performance.now()));
      endings[index] = await call(url, traceOf(index), due + PATIENCE_MS - performance.now());
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return endings;
}

if (import.meta.main) {
  process.once('message', async (asked: Offer) => {
    process.send?.(await offer(asked), undefined, undefined, () => process.disconnect());
    agent.destroy();
  });
}
