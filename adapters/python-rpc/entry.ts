import { WorkerEntrypoint } from 'cloudflare:workers';
import { jsonLine } from '../../src/one-line.ts';
import { createConcealment, hiddenValues } from '../../src/settings/references/concealment.ts';
import { createLines } from '../python/printed-lines.ts';
import { boot, type CarriedProject, type PyodideAssets } from './boot.ts';
import type { SuspendingInterpreter } from './interpreter.ts';
import { BUSY, LATE, type RpcRequest, type Turns } from './messages.ts';
import text from './python.json';
import { createCallQueue, type QueueSlot } from './queue.ts';

/* The Python Worker. It has no public address: only the Worker that it is bound to calls it. */

/** The maximum number of calls: one that runs and 64 that wait. */
const MOST = 1 + 64;

const project: CarriedProject = JSON.parse(text);
let booting: Promise<SuspendingInterpreter> | null = null;
const loaded = new Set<string>();
const queue = createCallQueue(MOST);
const { add, conceal } = createConcealment();
const lines = createLines(
  ({ level, message, fields }) => console.log(jsonLine({ level, message, ...fields })),
  conceal,
);

/** The RPC interface for the server's Worker. */
export class Python extends WorkerEntrypoint<{ readonly ASSETS: PyodideAssets }> {
  /** Answers one message of the protocol within its time; `stale` if the file of a call must be loaded first. */
  async exchange(message: string, ask: RpcRequest, turns: Turns, limitMs: number): Promise<string> {
    const place = queue.join(limitMs);
    if (place === null) return BUSY;
    if (place.waits) void turns('wait').catch(() => null);
    const work = this.#inPlace(place, () => answer(this.env.ASSETS, message, ask, place.leftMs()), turns);
    // The interpreter must finish its work even if the caller leaves.
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

/** Discards an interpreter that failed or was interrupted: its state is unknown. */
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
  booting ??= boot(assets, project, lines.write);
  const own = booting;
  try {
    const interpreter = await own;
    const { op, id, file, printed } = JSON.parse(message);
    if (op === 'call' && !loaded.has(file)) return JSON.stringify({ op: 'stale', id });
    lines.begin(file, printed);
    const said = await interpreter.handle(message, hearing(ask), limitMs);
    if (op === 'load' && said !== null && JSON.parse(said).op === 'done') loaded.add(file);
    return said ?? LATE;
  } catch (error) {
    if (booting === own) discard();
    throw error;
  }
}

/** Notes the secrets that Python receives, so that they can be concealed in the log. */
function hearing(ask: RpcRequest): RpcRequest {
  return async (asked) => {
    const reply = await ask(asked);
    if (JSON.parse(asked).what === 'secret') add(hiddenValues(JSON.parse(reply).value ?? {}));
    return reply;
  };
}

// biome-ignore lint/style/noDefaultExport: the platform asks for one
export default {
  fetch: () => new Response('Not Found', { status: 404 }),
};
