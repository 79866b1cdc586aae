import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CALLBACKS, FILE_READS, MUST_WAIT } from '../adapters/duckdb-wasm/engine/callbacks.ts';
import { DATA, TABLE_SLOTS } from '../adapters/duckdb-wasm/engine/memory.ts';
import { EXPORTS, GUARDED } from './wasm/exports.ts';
import { PINNED } from './wasm/pinned.ts';
import { Reader } from './wasm/reader.ts';
import { parseSections, SECTION } from './wasm/sections.ts';
import { stripModule } from './wasm/strip.ts';
import { createTrampolines } from './wasm/trampolines.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const OUT = join(ROOT, 'dist', 'duckdb-wasm');
const ADAPTER = join(ROOT, 'adapters', 'duckdb-wasm');
/** DuckDB's terms, which travel with it. */
const LICENCE = 'LICENSE.duckdb.txt';
const SOURCES = [
  'scripts/build-wasm.ts',
  'scripts/wasm/exports.ts',
  'scripts/wasm/guard-size.ts',
  'scripts/wasm/instructions.ts',
  'scripts/wasm/pinned.ts',
  'scripts/wasm/reader.ts',
  'scripts/wasm/sections.ts',
  'scripts/wasm/strip.ts',
  'scripts/wasm/trampolines.ts',
  'adapters/duckdb-wasm/engine/callbacks.ts',
  'adapters/duckdb-wasm/functions/cpp-symbols.ts',
  'adapters/duckdb-wasm/engine/memory.ts',
  'adapters/duckdb-wasm/engine/c-api.ts',
  `adapters/duckdb-wasm/${LICENCE}`,
];

interface Artefact {
  readonly inputs: { readonly [name: string]: string };
  readonly outputs: { readonly [file: string]: { readonly sha256: string; readonly bytes: number } };
}

/** Makes the engine's artefacts from the pinned package. Does nothing if they are up to date. */
export async function buildWasm(out = OUT): Promise<void> {
  const inputs = readInputs();
  if (isFresh(out, inputs)) {
    // what was touched and is still the same is not looked at again
    utimesSync(join(out, 'artefact.json'), new Date(), new Date());
    return;
  }
  const engine = readEngine();
  checkLayout(engine);
  const files = {
    'duckdb.wasm': stripModule(engine, EXPORTS, GUARDED),
    'trampolines.wasm': createTrampolines(CALLBACKS, FILE_READS, MUST_WAIT),
    [LICENCE]: readFileSync(join(ADAPTER, LICENCE)),
  };
  // Engines are not validated again when a process starts.
  if (!WebAssembly.validate(new Uint8Array(files['duckdb.wasm'])))
    throw new Error('the engine that was built is no valid module');
  mkdirSync(out, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) writeWhole(join(out, name), bytes);
  const outputs = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, { sha256: sha256(bytes), bytes: bytes.length }]),
  );
  writeWhole(join(out, 'artefact.json'), `${JSON.stringify({ inputs, outputs }, null, 2)}\n`);
}

/** Replaces a file in one step, so that readers see either the old file or the new one. */
function writeWhole(path: string, content: Uint8Array | string): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

function packageFolder(): string {
  const resolve = createRequire(import.meta.url).resolve;
  return join(dirname(resolve('@duckdb/duckdb-wasm')), '..');
}

function readInputs(): Artefact['inputs'] {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(packageFolder(), 'package.json'), 'utf8'),
  );
  const sources = SOURCES.map((path) => readFileSync(join(ROOT, path)));
  return {
    '@duckdb/duckdb-wasm': manifest.version,
    'duckdb-eh.wasm': PINNED.sha256,
    build: sha256(Buffer.concat(sources)),
  };
}

function isFresh(out: string, inputs: Artefact['inputs']): boolean {
  try {
    const made: Artefact = JSON.parse(readFileSync(join(out, 'artefact.json'), 'utf8'));
    const same = JSON.stringify(made.inputs) === JSON.stringify(inputs);
    return (
      same &&
      Object.entries(made.outputs).every(([name, { bytes }]) => statSync(join(out, name)).size === bytes)
    );
  } catch {
    return false;
  }
}

function readEngine(): Uint8Array {
  const bytes = readFileSync(join(packageFolder(), 'dist', 'duckdb-eh.wasm'));
  const digest = sha256(bytes);
  if (digest !== PINNED.sha256) {
    throw new Error(
      `@duckdb/duckdb-wasm is not the ${PINNED.version} this kit is tested with: duckdb-eh.wasm has SHA-256 ${digest}. Install the pinned version, or change scripts/wasm/pinned.ts and run the engine tests.`,
    );
  }
  return bytes;
}

/** The linker's figures for an engine, and the engine's digest. */
interface Measures {
  readonly bytes: number;
  readonly slots: number;
  readonly sha256: string;
}

/** Measures the engine of the package that is installed, whichever it is. */
export function measureEngine(): Measures {
  return measure(readFileSync(join(packageFolder(), 'dist', 'duckdb-eh.wasm')));
}

function measure(engine: Uint8Array): Measures {
  const note = parseSections(engine).find(({ id }) => id === SECTION.custom);
  const reader = new Reader(note?.body ?? new Uint8Array());
  if (reader.name() !== 'dylink.0') throw new Error('the engine has no note of its linker');
  reader.number();
  reader.number();
  const bytes = reader.number();
  reader.number();
  return { bytes, slots: reader.number() + 1, sha256: sha256(engine) };
}

/** Throws if the linker's sizes of data and table differ from those that the loader assumes. */
function checkLayout(engine: Uint8Array): void {
  const { bytes, slots } = measure(engine);
  if (bytes === DATA.bytes && slots === TABLE_SLOTS) return;
  throw new Error(
    `adapters/duckdb-wasm/engine/memory.ts is for another engine: this one has ${bytes} bytes, ${slots} slots`,
  );
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWasm();
