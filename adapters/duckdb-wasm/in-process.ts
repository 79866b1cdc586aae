import type { Database, SqlCall, SqlRequest, SqlResult } from '../../src/ports.ts';
import type { DatabaseFile } from './engine/database-file.ts';
import { Engine } from './engine/engine.ts';
import { createInstance, type Instance } from './engine/instance.ts';
import { closedError, EngineReplaced } from './errors.ts';

export { bytesFile, type DatabaseFile } from './engine/database-file.ts';

/** The parts and limits of a database in this thread. */
export interface WasmOptions {
  /** dist/duckdb-wasm/duckdb.wasm and trampolines.wasm, compiled. */
  readonly wasm: WebAssembly.Module;
  readonly trampolines: WebAssembly.Module;
  readonly file: DatabaseFile;
  /** The most memory the engine can take; 64 by default. */
  readonly memoryMb?: number;
  /** Lets other requests run between two slices of a long statement. */
  readonly pause?: () => Promise<void>;
}

/** The default memory limit of an engine in this thread, in MiB. */
export const MEMORY_MB = 64;

/** Opens a read-only database in this thread, with web-standard APIs only: for Workers and Lambda. */
export function openWasm(options: WasmOptions): Promise<Database> {
  return open(new InProcess(options, null));
}

/** Instantiates the engine now, if start-up is cheaper than the first request. The returned function opens the file. */
export async function prepareWasm(options: WasmOptions): Promise<() => Promise<Database>> {
  let ahead: Instance | null = await createInstance({ ...options, memoryMb: options.memoryMb ?? MEMORY_MB });
  return () => {
    const database = new InProcess(options, ahead);
    ahead = null;
    return open(database);
  };
}

async function open(database: InProcess): Promise<Database> {
  try {
    await database.engineNow();
    return database;
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
}

/** One engine in this thread, replaced when it breaks. */
class InProcess implements Database {
  readonly engine = 'duckdb-wasm';
  readonly readonly = true;
  readonly #options: WasmOptions;
  #ahead: Instance | null;
  #current: Promise<Engine> | null = null;
  #closed = false;

  constructor(options: WasmOptions, ahead: Instance | null) {
    this.#options = options;
    this.#ahead = ahead;
  }

  async run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    return this.#onEngine((engine) => engine.run(request, call));
  }

  async prepare(sql: string, mode: SqlRequest['mode']): Promise<void> {
    return this.#onEngine((engine) => engine.prepare(sql, mode));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const last = await this.#current?.catch(() => null);
    last?.close();
    this.#options.file.close();
  }

  /** Returns the current engine, or opens a new one if the last one is broken or failed to open. */
  async engineNow(): Promise<Engine> {
    if (this.#closed) throw closedError();
    const last = this.#current;
    const known = await last?.catch(() => null);
    if (known && !known.broken) return known;
    // Another call may have replaced it meanwhile.
    if (this.#current !== last) return this.engineNow();
    const { memoryMb = MEMORY_MB, pause = nextTurn } = this.#options;
    this.#current = Engine.open({ ...this.#options, memoryMb, pause }, this.#ahead ?? undefined);
    this.#ahead = null;
    return this.#current;
  }

  async #onEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = await this.engineNow();
    try {
      return await work(engine);
    } catch (thrown) {
      if (!(thrown instanceof EngineReplaced)) throw thrown;
      return this.#onEngine(work);
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
