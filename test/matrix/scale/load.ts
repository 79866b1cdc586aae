import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Calls through a balancer, each checked against what it must answer. */
export interface Load {
  /** Call -> why it failed. */
  readonly failed: ReadonlyMap<string, string>;
  readonly answered: number;
  /** Lets the running calls end, and begins no more. */
  stop(): Promise<void>;
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CALLERS = 8;
/** Between two calls of a caller: instances that start need the processors too. */
const PAUSE_MS = 20;
/** So many calls are made with one token; then any instance is asked for another. */
const CALLS_PER_TOKEN = 20;

/** Keeps callers busy until it is stopped or the test has ended; ids begin with the prefix. */
export function offerLoad(origin: string, prefix: string, secret: string): Load {
  const failed = new Map<string, string>();
  const counted = { answered: 0, begun: 0, stopped: false };
  onTestFinished(() => {
    counted.stopped = true;
  });
  const attempt = async <T>(what: (id: string) => Promise<T>): Promise<T | null> => {
    await setTimeout(PAUSE_MS);
    counted.begun += 1;
    const id = `${prefix}-${counted.begun}`;
    try {
      const result = await what(id);
      counted.answered += 1;
      return result;
    } catch (error) {
      failed.set(id, String(error));
      return null;
    }
  };
  const caller = async () => {
    while (!counted.stopped) {
      const token = await attempt((id) => askForToken(origin, id, secret));
      for (let call = 0; token !== null && call < CALLS_PER_TOKEN && !counted.stopped; call += 1) {
        await attempt((id) => callTool(origin, id, token, 1 + (call % 3)));
      }
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  return {
    failed,
    get answered() {
      return counted.answered;
    },
    stop: async () => {
      counted.stopped = true;
      await Promise.all(callers);
    },
  };
}

async function askForToken(origin: string, id: string, secret: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'robot',
    client_secret: secret,
  });
  const answer = await fetch(`${origin}/token`, { method: 'POST', body, headers: { 'x-call': id } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`/token answered ${answer.status} ${text}`);
  return JSON.parse(text).access_token;
}

const NAMES = ['', 'Ada', 'Blaise', 'Chiyo'];

async function callTool(origin: string, id: string, token: string, customer: number): Promise<void> {
  const params = { name: 'customer', arguments: { id: customer } };
  const answer = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, 'x-call': id, authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const text = await answer.text();
  if (!text.includes(NAMES[customer] ?? '')) throw new Error(`/mcp answered ${answer.status} ${text}`);
}
