import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { SvcError } from '../../../src/errors.ts';

/** The compiled engine, shared by all engines of a process. */
export interface CompiledEngine {
  readonly wasm: WebAssembly.Module;
  readonly trampolines: WebAssembly.Module;
}

const ENGINE = 'duckdb.wasm';

/** The folders that may hold the engine: beside a bundle, in the compiled package, in `dist` of a checkout. */
const PLACES = ['./', '../../../duckdb-wasm/', '../../../dist/duckdb-wasm/'];

/** The folder with the engine's artefacts. */
export function artefactFolder(): URL {
  const folders = PLACES.map((place) => new URL(place, import.meta.url));
  const found = folders.find((folder) =>
    ['', '.zst'].some((end) => existsSync(new URL(`${ENGINE}${end}`, folder))),
  );
  if (found !== undefined) return found;
  throw new SvcError(
    'database_unavailable',
    `The engine's duckdb.wasm is in none of ${folders.map((folder) => fileURLToPath(folder)).join(', ')}. Copy all files of the artefact, or install svc-kit again; in a checkout, run \`node scripts/setup.js --wasm\`.`,
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

/** Reads duckdb.wasm of a checkout or an artefact; a published package has it compressed, a fifth of its size. */
export async function readEngine(folder: URL = artefactFolder()): Promise<Uint8Array<ArrayBuffer>> {
  const plain = new URL(ENGINE, folder);
  if (existsSync(plain)) return readFile(plain);
  // An artefact may run on a Node that is too old for it, and never needs it.
  const { zstdDecompress } = await import('node:zlib');
  return promisify(zstdDecompress)(await readFile(new URL(`${ENGINE}.zst`, folder)));
}

async function compile(folder: URL): Promise<CompiledEngine> {
  const [engine, trampolines] = await Promise.all([
    readEngine(folder),
    readFile(new URL('trampolines.wasm', folder)),
  ]);
  return { wasm: compileChecked(engine), trampolines: await WebAssembly.compile(trampolines) };
}

/**
 * Compiles a module that was validated when it was built. V8 then validates each function when it is first called,
 * instead of all 25 MB at the start: this takes a third of the time, and the rest of the process waits less.
 */
function compileChecked(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  // Node 24 may abort when it frees code that it has compiled better (nodejs/node#64500). Keeping it costs a few megabytes.
  setFlagsFromString('--no-wasm-code-gc');
  // Nothing else of this thread runs between the two lines, so that no other module is compiled in this way.
  setFlagsFromString('--wasm-lazy-validation');
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    setFlagsFromString('--no-wasm-lazy-validation');
  }
}
