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

/** What became of a call: `left` when its client had waited for as long as it wanted to. */
export type Ending = 'answered' | 'busy' | 'deadline' | 'left' | `failed: ${string}`;

/** How the calls ended, each in its place: the first one is the call with the trace of 1. */
export interface Offered {
  readonly endings: readonly Ending[];
  /** The most that were not answered yet. */
  readonly most: number;
}

const TICK_MS = 5;
/** No client of this kind waits longer. */
const PATIENCE_MS = 20_000;

/** The trace of a call, by which its record is found. */
export const traceOf = (index: number): string => (index + 1).toString(16).padStart(32, '0');

const agent = new Agent({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY });

async function call(url: string, traceId: string): Promise<Ending> {
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
  }, PATIENCE_MS);
  sent.on('error', reject);
  sent.end(body);
  return promise.catch((error): Ending => `failed: ${error}`).finally(() => clearTimeout(impatient));
}

function toEnding(status: number | undefined, answer: string, traceId: string): Ending {
  if (answer.includes(`Hello, ${traceId}!`)) return 'answered';
  if (status === 503 || /"busy"/.test(answer)) return 'busy';
  return /"deadline_exceeded"/.test(answer) ? 'deadline' : `failed: ${status} ${answer.slice(0, 200)}`;
}

/** Begins calls as the clock wants them, until the time is over and the last has ended. */
async function offer({ url, perSecond, seconds }: Offer): Promise<Offered> {
  const calls: Promise<Ending>[] = [];
  let running = 0;
  let most = 0;
  const begin = async (): Promise<Ending> => {
    running += 1;
    most = Math.max(most, running);
    const ending = await call(url, traceOf(calls.length));
    running -= 1;
    return ending;
  };
  const from = performance.now();
  const total = perSecond * seconds;
  while (calls.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - from) / 1_000) * perSecond));
    while (calls.length < due) calls.push(begin());
    await sleep(TICK_MS);
  }
  return { endings: await Promise.all(calls), most };
}

if (import.meta.main) {
  process.once('message', async (asked: Offer) => {
    process.send?.(await offer(asked), undefined, undefined, () => process.disconnect());
    agent.destroy();
  });
}
