import type { JsonValue } from '../../src/json.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../src/ports.ts';
import { DEFAULT_MEMORY_MB } from './default-memory.ts';
import { type DatabaseFile, type FetchedFile, LateFile } from './engine/database-file.ts';
import { Engine } from './engine/engine.ts';
import { createInstance, type Instance } from './engine/instance.ts';
import { closedError, EngineReplaced } from './errors.ts';
import { within } from './within.ts';

export { bytesFile, type DatabaseFile, type FetchedFile } from './engine/database-file.ts';

/** Opens a fetched file: once for each engine, so that an engine reads one version of the file only. */
export type OpenFetched = () => Promise<FetchedFile>;

/** The parts and limits of a database in this thread. */
export interface WasmOptions {
  /** dist/duckdb-wasm/duckdb.wasm and trampolines.wasm, compiled. */
  readonly wasm: WebAssembly.Module;
  readonly trampolines: WebAssembly.Module;
  /** The database file, or a function that opens one whose bytes are fetched. */
  readonly file: DatabaseFile | OpenFetched;
  /** The most memory the engine can take; 64 by default. */
  readonly memoryMb?: number;
  /** Lets other requests run between two slices of a long statement. */
  readonly pause?: () => Promise<void>;
  /** The most requests for ranges that one call may make, if the file is fetched. Default: no limit. */
  readonly maxRanges?: number;
}

/** The longest time that opening a fetched database takes, in milliseconds. */
const OPENING_MS = 20_000;

/** Opens a read-only database in this thread, with web-standard APIs only: for Workers and Lambda. */
export function openWasm(options: WasmOptions): Promise<Database> {
  return open(new InProcess(options, null));
}

/** Instantiates the engine now, if start-up is cheaper than the first request. The returned function opens the file. */
export async function prepareWasm(options: WasmOptions): Promise<() => Promise<Database>> {
  let ahead: Ahead | null = await createAhead(options);
  return () => {
    const database = new InProcess(options, ahead);
    ahead = null;
    return open(database);
  };
}

/** An instance that was made before its file was opened. */
interface Ahead {
  readonly instance: Instance;
  bind(file: FetchedFile): void;
}

async function createAhead({
  wasm,
  trampolines,
  file,
  memoryMb = DEFAULT_MEMORY_MB,
}: WasmOptions): Promise<Ahead> {
  const late = new LateFile();
  const named = typeof file === 'function' ? late : file;
  const instance = await createInstance({ wasm, trampolines, file: named, memoryMb });
  return { instance, bind: (opened) => late.bind(opened) };
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
  #ahead: Ahead | null;
  #current: Promise<Engine> | null = null;
  #closed = false;

  constructor(options: WasmOptions, ahead: Ahead | null) {
    this.#options = options;
    this.#ahead = ahead;
  }

  /** An object in a store can be replaced. */
  get unchanging(): boolean {
    const { file } = this.#options;
    return typeof file !== 'function' && file.fetched === undefined;
  }

  async run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    return this.#onEngine((engine) => engine.run(request, call));
  }

  async prepare(sql: string, mode: SqlRequest['mode']): Promise<readonly string[]> {
    await this.#onEngine((engine) => engine.prepare(sql, mode));
    return [];
  }

  async explain(request: Omit<SqlRequest, 'mode'>): Promise<JsonValue> {
    return this.#onEngine((engine) => engine.explain(request));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const last = await this.#current?.catch(() => null);
    last?.close();
    const { file } = this.#options;
    if (typeof file !== 'function') file.close();
  }

  /** Returns the current engine, or opens a new one if the last one is broken or failed to open. */
  async engineNow(): Promise<Engine> {
    if (this.#closed) throw closedError();
    const last = this.#current;
    const known = await this.#opened(last);
    if (known && !known.broken) return known;
    // Another call may have replaced it meanwhile.
    if (this.#current !== last) return this.engineNow();
    this.#current = this.#open();
    return this.#current;
  }

  async #open(): Promise<Engine> {
    const { file: source, memoryMb = DEFAULT_MEMORY_MB, pause = nextTurn, ...options } = this.#options;
    const ahead = this.#ahead;
    this.#ahead = null;
    if (typeof source !== 'function') {
      return Engine.open({ ...options, file: source, memoryMb, pause }, ahead?.instance);
    }
    const file = await source();
    ahead?.bind(file);
    return Engine.open({ ...options, file, memoryMb, pause }, ahead?.instance);
  }

  /**
   * The engine, once it is open; null if it failed to. If the file is fetched, the request that opens it may be gone,
   * and then its promise never settles.
   */
  async #opened(engine: Promise<Engine> | null): Promise<Engine | null> {
    const settled = engine?.catch(() => null) ?? null;
    if (typeof this.#options.file !== 'function') return settled;
    return within(Promise.resolve(settled), OPENING_MS).catch(() => null);
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
