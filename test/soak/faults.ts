import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { rotatedName } from '../../adapters/audit/audit-files.ts';
import { toRequest } from '../bench/load/exchange.ts';
import { AUDIT_FILE } from './audit.ts';
import { judge, type Outcome, READ, sqlTool } from './calls.ts';
import { commandOf, familyOf } from './processes.ts';
import { KINDS, type Kind, writeGeneration } from './project.ts';
import type { Random } from './random.ts';
import { allowedSince, explain, type Soaked } from './server.ts';

/** Something that goes wrong while a server is under load. It ends when the fault is over. */
export interface Fault {
  readonly name: string;
  readonly kinds: readonly Kind[];
  /** Whether it runs beside the others, which run one after the other. Two such faults run one after the other, too. */
  readonly beside: boolean;
  /** Outcomes that other callers may meet during the fault. */
  readonly allows: readonly Outcome[];
  run(soaked: Soaked, random: Random): Promise<void>;
}

const [READ_WRITE, READ_ONLY] = KINDS;
const SERVED = [READ_WRITE, READ_ONLY] as const;
/** A statement that runs for hours. */
const ENDLESS =
  'SELECT count(*) AS n FROM range(100000000) a, range(100000000) b WHERE hash(a.range + b.range) = 7';

/** Statements that end the native engine: by a crash, by memory, and by a plan that nothing interrupts. */
export const HOSTILE = [
  "SELECT reservoir_quantile(3::TINYINT, 'nan'::DOUBLE) FROM range(3)",
  "SELECT repeat('x', 4000000000)",
  "SELECT levenshtein(repeat('a', 3000000), repeat('b', 3000000))",
];
/** A statement that asks the wasm engine for more memory than there is. */
const HUNGRY = ["SELECT repeat('x', 4000000000)"];

/** Every fault; some are for servers of certain kinds. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'engine killed',
    beside: false,
    kinds: [READ_WRITE],
    allows: ['unknown', 'blamed'],
    run: killEngine,
  },
  { name: 'runaway SQL', beside: true, kinds: KINDS, allows: ['unknown'], run: runAway },
  { name: 'reload', beside: false, kinds: SERVED, allows: [], run: (soaked) => reload(soaked, 'success') },
  { name: 'failing reload', beside: false, kinds: SERVED, allows: [], run: failReload },
  { name: 'replaced database', beside: false, kinds: [READ_ONLY], allows: [], run: replaceDatabase },
  { name: 'sockets cut', beside: true, kinds: KINDS, allows: [], run: cutSockets },
  { name: 'slow clients', beside: true, kinds: KINDS, allows: [], run: sendSlowly },
  { name: 'cancelled calls', beside: true, kinds: KINDS, allows: [], run: cancel },
  { name: 'burst', beside: false, kinds: KINDS, allows: [], run: burst },
  { name: 'records blocked', beside: false, kinds: KINDS, allows: ['blocked'], run: blockRecords },
];

async function reload(soaked: Soaked, expected: 'success' | 'error'): Promise<void> {
  const status = await soaked.reload();
  if (status !== expected) explain(soaked, `a reload ended with ${status} and not with ${expected}`);
}

/** A reference of the user file leads nowhere. */
async function failReload(soaked: Soaked): Promise<void> {
  const away = `${soaked.secret}.away`;
  renameSync(soaked.secret, away);
  try {
    await reload(soaked, 'error');
  } finally {
    renameSync(away, soaked.secret);
  }
}

async function replaceDatabase(soaked: Soaked): Promise<void> {
  const next = soaked.generation + 1;
  await writeGeneration(soaked.database, next);
  await reload(soaked, 'success');
  soaked.generation = next;
}

async function killEngine(soaked: Soaked): Promise<void> {
  const engine = familyOf(soaked.server.pid).find((pid) => commandOf(pid).includes('engine-process'));
  // It may just be between two processes.
  if (engine === undefined) return;
  try {
    process.kill(engine, 'SIGKILL');
  } catch (thrown) {
    explain(soaked, `the engine could not be killed: ${thrown}`);
  }
}

/** A caller's statement must fail, alone. */
async function runAway(soaked: Soaked, random: Random): Promise<void> {
  const statements = soaked.kind === READ_WRITE ? HOSTILE : HUNGRY;
  const sql = statements[Math.floor(random() * statements.length)] ?? '';
  const { outcome, response } = await soaked.callTool(sqlTool(sql), ['failed', 'blamed']);
  if (outcome === 'right' || outcome === 'wrong') explain(soaked, `${sql} was answered: ${response}`);
}

/** Clients end in the middle of a request, and as soon as they have sent one. */
async function cutSockets(soaked: Soaked, random: Random): Promise<void> {
  const { line, ledger, url } = soaked;
  for (let turn = 0; turn < 20; turn += 1) {
    const id = ledger.begin();
    const request = toRequest({ url, asked: READ }, id);
    const socket = await line.open();
    const whole = turn % 2 === 0;
    socket.write(whole ? request : request.slice(0, 1 + Math.floor(random() * (request.length - 2))));
    await wait(random() * 20);
    socket.destroy();
    ledger.end(id, whole ? 'maybe' : 'none');
  }
}

/** A request that arrives in pieces, from a client that reads late, is answered. */
async function sendSlowly(soaked: Soaked, random: Random): Promise<void> {
  const { line, ledger, url } = soaked;
  const slow = async (): Promise<void> => {
    const begun = performance.now();
    const id = ledger.begin();
    const request = toRequest({ url, asked: READ }, id);
    const socket = await line.open();
    let text = '';
    const answered = new Promise<void>((resolve) => {
      socket.once('close', resolve);
      socket.on('data', (chunk) => {
        text += chunk;
        if (text.includes('"jsonrpc"') && text.trimEnd().endsWith('}')) resolve();
      });
    });
    const size = Math.ceil(request.length / 20);
    for (let at = 0; at < request.length; at += size) {
      socket.write(request.slice(at, at + size));
      await wait(random() * 100);
    }
    socket.pause();
    await wait(500);
    socket.resume();
    await answered;
    socket.destroy();
    const outcome = judge(text, id);
    ledger.end(id, outcome === 'right' ? 'one' : 'maybe');
    if (!allowedSince(soaked, begun).includes(outcome))
      explain(soaked, `a slow client got ${JSON.stringify(text)}`);
  };
  await Promise.all(Array.from({ length: 8 }, slow));
}

/** Callers leave while their statement runs. */
async function cancel(soaked: Soaked, random: Random): Promise<void> {
  const { line, ledger, url } = soaked;
  const leave = async (): Promise<void> => {
    const id = ledger.begin();
    const socket = await line.open();
    socket.write(toRequest({ url, asked: sqlTool(ENDLESS) }, id));
    await wait(200 + random() * 800);
    socket.destroy();
    ledger.end(id, 'maybe');
  };
  await Promise.all([leave(), leave(), leave()]);
}

/** Many more calls at once than the server takes: each is answered or refused. */
async function burst(soaked: Soaked): Promise<void> {
  await Promise.all(Array.from({ length: 600 }, () => soaked.callTool(READ)));
}

/** The folder of the records is gone, and a file has its place. Calls are rejected until it is back. */
async function blockRecords(soaked: Soaked): Promise<void> {
  const away = `${soaked.audit}.away`;
  renameSync(soaked.audit, away);
  writeFileSync(soaked.audit, '');
  const begun = performance.now();
  let outcome: Outcome = 'right';
  while (outcome !== 'blocked' && performance.now() < begun + 20_000)
    ({ outcome } = await soaked.callTool(READ));
  if (outcome !== 'blocked') explain(soaked, 'calls were answered although nothing could be recorded');
  await wait(500);
  rmSync(soaked.audit);
  putBack(away, soaked.audit);
}

/**
 * Puts a folder back. The server may have made a new one the moment the path was free, so both become one. The file of
 * the old folder gets a name among the full ones, because the server may write another one.
 */
function putBack(away: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(away)) {
    const path = join(folder, name);
    renameSync(join(away, name), name === AUDIT_FILE ? rotatedName(path, Date.now()) : path);
  }
  rmdirSync(away);
}
