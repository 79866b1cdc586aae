import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../../../src/errors.ts';

/** The compiled engine, shared by all engines of a process. */
export interface CompiledEngine {
  readonly wasm: WebAssembly.Module;
  readonly trampolines: WebAssembly.Module;
}

/** The folders that may hold duckdb.wasm: beside a bundle, in the compiled package, in `dist` of a checkout. */
const PLACES = ['./', '../../../duckdb-wasm/', '../../../dist/duckdb-wasm/'];

/** The folder with the engine's artefacts. */
export function artefactFolder(): URL {
  const folders = PLACES.map((place) => new URL(place, import.meta.url));
  const found = folders.find((folder) => existsSync(new URL('duckdb.wasm', folder)));
  if (found !== undefined) return found;
  throw new SvcError(
    'database_unavailable',
    `The engine's duckdb.wasm is in none of ${folders.map((folder) => fileURLToPath(folder)).join(', ')}. Run \`node scripts/build-wasm.ts\`.`,
  );
}

const compiled = new Map<string, Promise<CompiledEngine>>();

/** Compiles the engine once per process and folder. */
export function compileEngine(folder: URL = artefactFolder()): Promise<CompiledEngine> {
  const known = compiled.get(folder.href);
  if (known !== undefined) return known;
  const engine = compile(folder);
  compiled.set(folder.href, engine);
  engine.catch(() => compiled.delete(folder.href));
  return engine;
}

async function compile(folder: URL): Promise<CompiledEngine> {
  const load = async (name: string): Promise<WebAssembly.Module> =>
    WebAssembly.compile(await readFile(new URL(name, folder)));
  const [wasm, trampolines] = await Promise.all([load('duckdb.wasm'), load('trampolines.wasm')]);
  return { wasm, trampolines };
}
