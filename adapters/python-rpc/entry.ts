import { WorkerEntrypoint } from 'cloudflare:workers';
import { type Assets, boot, type CarriedProject } from './boot.ts';
import type { Ask, SuspendingInterpreter } from './interpreter.ts';
import text from './python.json';

/* The Python Worker: it has no address, and only the Worker that it is bound to calls it. */

const project: CarriedProject = JSON.parse(text);
let booting: Promise<SuspendingInterpreter> | null = null;
const loaded = new Set<string>();
/** Settles when the interpreter is free. */
let free: Promise<unknown> = Promise.resolve();

/** What the server's Worker can ask for. */
export class Python extends WorkerEntrypoint<{ readonly ASSETS: Assets }> {
  /** Answers one message of the protocol; `stale` where the file of a call has to be loaded first. */
  exchange(message: string, ask: Ask): Promise<string> {
    const work = free.then(() => answer(this.env.ASSETS, message, ask));
    free = work.catch(() => null);
    // A caller who leaves must not leave the interpreter in the middle of something.
    this.ctx.waitUntil(free);
    return work;
  }
}

async function answer(assets: Assets, message: string, ask: Ask): Promise<string> {
  booting ??= boot(assets, project);
  try {
    const interpreter = await booting;
    const { op, id, file } = JSON.parse(message);
    if (op === 'call' && !loaded.has(file)) return JSON.stringify({ op: 'stale', id });
    const said = await interpreter.handle(message, ask);
    if (op === 'load' && JSON.parse(said).op === 'done') loaded.add(file);
    return said;
  } catch (error) {
    // It cannot be told what an interpreter that failed is still good for.
    booting = null;
    loaded.clear();
    throw error;
  }
}

// biome-ignore lint/style/noDefaultExport: the platform asks for one
export default {
  fetch: () => new Response('Not Found', { status: 404 }),
};
