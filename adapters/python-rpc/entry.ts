import { WorkerEntrypoint } from 'cloudflare:workers';
import { createConcealment } from '../../src/settings/references/concealment.ts';
import { createLines } from '../python/printed-lines.ts';
import { boot, type CarriedProject, type PyodideAssets } from './boot.ts';
import type { SuspendingInterpreter } from './interpreter.ts';
import { BUSY, LATE, type RpcRequest, type Turns } from './messages.ts';
import text from './python.json';
import { createLineUp, type QueueSlot } from './queue.ts';

/* The Python Worker: it has no address, and only the Worker that it is bound to calls it. */

/** The call that has the interpreter, and those that may wait for it. */
const MOST = 1 + 64;

const project: CarriedProject = JSON.parse(text);
let booting: Promise<SuspendingInterpreter> | null = null;
const loaded = new Set<string>();
const lineUp = createLineUp(MOST);
const { add, conceal } = createConcealment();
const printed = createLines(({ level, message }) =>
  console.log(JSON.stringify({ level, message: conceal(message) })),
);

/** What the server's Worker can ask for. */
export class Python extends WorkerEntrypoint<{ readonly ASSETS: PyodideAssets }> {
  /** Answers one message of the protocol within its time; `stale` where the file of a call has to be loaded first. */
  async exchange(message: string, ask: RpcRequest, turns: Turns, limitMs: number): Promise<string> {
    const place = lineUp.join(limitMs);
    if (place === null) return BUSY;
    if (place.waits) void turns('wait').catch(() => null);
    const work = this.#inPlace(place, () => answer(this.env.ASSETS, message, ask, place.leftMs()), turns);
    // A caller who leaves must not leave the interpreter in the middle of something.
    this.ctx.waitUntil(work.catch(() => null));
    return work;
  }

  async #inPlace(place: QueueSlot, work: () => Promise<string>, turns: Turns): Promise<string> {
    try {
      const began = await place.begin();
      if (began === 'late') return LATE;
      if (began === 'lost') discard();
      if (place.waits) await turns('begin');
      return await work();
    } finally {
      place.leave();
    }
  }
}

/** It cannot be told what an interpreter is still good for that failed, or was left in the middle of something. */
function discard(): void {
  booting = null;
  loaded.clear();
}

async function answer(
  assets: PyodideAssets,
  message: string,
  ask: RpcRequest,
  limitMs: number,
): Promise<string> {
  booting ??= boot(assets, project, printed.write);
  const own = booting;
  try {
    const interpreter = await own;
    const { op, id, file } = JSON.parse(message);
    if (op === 'call' && !loaded.has(file)) return JSON.stringify({ op: 'stale', id });
    printed.begin(file);
    const said = await interpreter.handle(message, hearing(ask), limitMs);
    if (op === 'load' && said !== null && JSON.parse(said).op === 'done') loaded.add(file);
    return said ?? LATE;
  } catch (error) {
    if (booting === own) discard();
    throw error;
  }
}

/** Remembers the secrets that are given away, for they are in no line of the log. */
function hearing(ask: RpcRequest): RpcRequest {
  return async (asked) => {
    const reply = await ask(asked);
    if (JSON.parse(asked).what === 'secret') add(JSON.parse(reply).value ?? null);
    return reply;
  };
}

// biome-ignore lint/style/noDefaultExport: the platform asks for one
export default {
  fetch: () => new Response('Not Found', { status: 404 }),
};
