import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { Engine } from './engine.ts';
import type { DatabaseFile } from './file.ts';

export { bytesFile, type DatabaseFile } from './file.ts';

/** What a database in this thread is opened from. */
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

const MEMORY_MB = 64;

/** Opens a read-only database in this thread, with web-standard means only: for Workers and Lambda. */
export async function openWasm(options: WasmOptions): Promise<Database> {
  const open = (): Promise<Engine> =>
    Engine.open({ ...options, memoryMb: options.memoryMb ?? MEMORY_MB, pause: options.pause ?? nextTurn });
  let engine: Promise<Engine> | null = open();
  await engine;

  const current = async (): Promise<Engine> => {
    if (engine === null) throw new SvcError('database_unavailable', 'The database is closed.');
    if ((await engine).broken) engine = open();
    return engine;
  };
  return {
    engine: 'duckdb-wasm',
    readonly: true,
    run: async (request, call) => (await current()).run(request, call),
    prepare: async (sql, mode) => (await current()).prepare(sql, mode),
    close: async () => {
      const last = engine;
      engine = null;
      (await last)?.close();
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
