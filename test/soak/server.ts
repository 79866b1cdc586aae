import { rmSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { sendToSocket } from '../../adapters/admin-socket/client.ts';
import { type Asked, toRequest } from '../bench/load/exchange.ts';
import { type LoadedServer, startCommand } from '../bench/load/server.ts';
import { type Receiver, startReceiver } from '../unit/adapters/otel/receiver.ts';
import { type Watch, watch } from './audit.ts';
import { generationOf, judge, type Outcome, READ } from './calls.ts';
import { createLedger, type Expected, type Ledger } from './ledger.ts';
import { createLine, type Line } from './line.ts';
import { type Kind, type Prepared, prepare } from './project.ts';

/** What a call came to, and the time until then. */
export interface Ended {
  readonly outcome: Outcome;
  readonly ms: number;
  readonly response: string | null;
}

/** Outcomes of one kind that no fault explains. */
interface Unexplained {
  /** The first one. */
  readonly text: string;
  count: number;
  last: string;
}

/** A server under mixed load, with all that is known about its calls. */
export interface Soaked extends Prepared {
  readonly server: LoadedServer;
  readonly url: URL;
  readonly line: Line;
  readonly ledger: Ledger;
  readonly receiver: Receiver;
  readonly records: Watch;
  readonly outcomes: Record<Outcome, number>;
  /** Outcomes that no fault explains, of at most twenty kinds. Texts of one kind differ in numbers alone. */
  readonly unexplained: Map<string, Unexplained>;
  /** Rows that the server said it has added. */
  readonly added: number[];
  /** The latest faults, each with its end; infinite while it lasts. */
  readonly faults: { readonly name: string; readonly allows: readonly Outcome[]; end: number }[];
  /** Of the data that is served: no answer may be older. */
  generation: number;
  longestMs: number;
  /** The end of the server's log. */
  logEnd(): string;
  /** The line of the server's log with a text; empty if there is none. */
  lineOf(text: string): string;
  /** Calls a tool, and notes an outcome that neither a fault nor the caller expects. */
  callTool(tool: Asked, expected?: readonly Outcome[]): Promise<Ended>;
  reload(): Promise<'success' | 'error'>;
  close(): Promise<void>;
}

const EXPECTED: Readonly<Record<Outcome, Expected>> = {
  right: 'one',
  wrong: 'one',
  failed: 'one',
  unknown: 'one',
  blamed: 'one',
  blocked: 'maybe',
  refused: 'none',
  busy: 'maybe',
  lost: 'maybe',
};
/** A busy machine may have less capacity than was measured. */
const ALWAYS_ALLOWED: readonly Outcome[] = ['right', 'refused', 'busy'];
const MOST_EXAMPLES = 20;
const RELOAD_MS = 120_000;
/** Characters of the log that are kept. */
const TAIL = 200_000;
/** Characters of it that a message shows. */
const LOG_END = 2_000;

/** Starts a server of a kind, with a collector of its own. */
export async function startSoaked(kind: Kind, python: boolean): Promise<Soaked> {
  const receiver = await startReceiver();
  const prepared = await prepare(kind, { python, collector: receiver.url });
  const log = createTail();
  const server = await startCommand({ ...prepared.command, log: log.take });
  const url = new URL(server.url);
  const line = createLine(url);
  const ledger = createLedger();
  const soaked: Soaked = {
    ...prepared,
    server,
    url,
    line,
    ledger,
    receiver,
    records: watch(prepared.audit, ledger),
    outcomes: {
      right: 0,
      wrong: 0,
      failed: 0,
      unknown: 0,
      blamed: 0,
      blocked: 0,
      refused: 0,
      busy: 0,
      lost: 0,
    },
    unexplained: new Map(),
    added: [],
    lineOf: log.find,
    logEnd: log.end,
    faults: [],
    generation: 1,
    longestMs: 0,
    callTool: (tool, expected) => callTool(soaked, tool, expected),
    reload: () => reload(prepared.socket ?? ''),
    close: async () => {
      line.close();
      await receiver.close();
      rmSync(prepared.root, { recursive: true });
    },
  };
  const first = await soaked.callTool(READ);
  if (first.outcome !== 'right') throw new Error(`${kind} does not answer: ${first.response}`);
  return soaked;
}

async function callTool(soaked: Soaked, asked: Asked, expected: readonly Outcome[] = []): Promise<Ended> {
  const { ledger, line, url } = soaked;
  const id = ledger.begin();
  const least = soaked.generation;
  const begun = performance.now();
  const response = await line.call(toRequest({ url, asked }, id)).catch(() => null);
  const ms = performance.now() - begun;
  const found = judge(response, id);
  const stale = found === 'right' && asked === READ && generationOf(response) < least;
  const outcome = stale ? 'wrong' : found;
  ledger.end(id, EXPECTED[outcome]);
  soaked.outcomes[outcome] += 1;
  soaked.longestMs = Math.max(soaked.longestMs, ms);
  if (outcome === 'right' && asked.tool === 'add') soaked.added.push(id);
  if (!expected.includes(outcome) && !allowedSince(soaked, begun).includes(outcome))
    explain(soaked, `call ${id} of ${asked.tool} ${outcome}: ${bodyOf(response)}`);
  return { outcome, ms, response };
}

/** The outcomes of a call that began at a moment and ends now, as far as faults of this time explain them. */
export function allowedSince({ faults }: Soaked, begun: number): readonly Outcome[] {
  const running = faults.filter(({ end }) => end >= begun);
  return [...ALWAYS_ALLOWED, ...running.flatMap(({ allows }) => allows)];
}

const bodyOf = (response: string | null): string => response?.split('\r\n\r\n')[1]?.slice(0, 400) ?? '';

/** Notes what nothing explains, with the line of the log if it names one. */
export function explain({ kind, unexplained, faults, lineOf }: Soaked, what: string): void {
  const now = new Date().toISOString();
  const lasting = faults.filter(({ end }) => end === Number.POSITIVE_INFINITY);
  const during = lasting.map(({ name }) => name).join(' and ') || 'no fault';
  const key = `${during}: ${what.replaceAll(/[\da-f]{8}-[\da-f-]{27}|\d+/g, '#')}`;
  const known = unexplained.get(key);
  if (known !== undefined) {
    known.count += 1;
    known.last = now;
    return;
  }
  if (unexplained.size >= MOST_EXAMPLES) return;
  const [, errorId] = /error id ([\da-f-]{36})/.exec(what) ?? [];
  const logged = errorId === undefined ? '' : ` Its log: ${lineOf(errorId).slice(0, 1_000)}`;
  unexplained.set(key, {
    text: `${kind}, ${now}, during ${during}: ${what}${logged}`,
    count: 1,
    last: now,
  });
}

/** The outcomes of one kind, as lines of a report. */
export function toProblems({ unexplained }: Soaked): readonly string[] {
  return [...unexplained.values()].map(({ text, count, last }) =>
    count === 1 ? text : `${text} (${count} times, the last one ${last})`,
  );
}

/** Keeps the end of a log. */
function createTail() {
  let tail = '';
  const take = (text: string): void => {
    tail = (tail + text).slice(-TAIL);
  };
  const find = (text: string): string =>
    tail
      .split('\n')
      .filter((line) => line.includes(text))
      .join(' ');
  const end = (): string => tail.slice(-LOG_END);
  return { take, find, end };
}

/** Reloads, and returns the result of this reload. */
async function reload(socket: string): Promise<'success' | 'error'> {
  const status = async () => {
    const body = (await json(await sendToSocket({ socket, method: 'GET', path: '/status' }))) as {
      readonly reload: {
        readonly in_progress: boolean;
        readonly last_reload: string | null;
        readonly last_reload_status: 'success' | 'error';
      };
    };
    return body.reload;
  };
  const { last_reload: before } = await status();
  await json(await sendToSocket({ socket, method: 'POST', path: '/reload' }));
  const begun = performance.now();
  for (;;) {
    const now = await status();
    if (!now.in_progress && now.last_reload !== before) return now.last_reload_status;
    if (performance.now() - begun > RELOAD_MS) throw new Error('A reload did not end.');
    await wait(20);
  }
}
