import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { declarationsOf } from './package/declarations.ts';

/* The parts of the published package that differ from a checkout: a compressed engine, and the public types alone. */

const ENGINE = 'dist/duckdb-wasm/duckdb.wasm';
const TYPES = 'dist/types';
const LEVEL = 19;

compressEngine();
copyTypes();

/** Compresses the engine from 25 MB to 5 MB; `adapters/duckdb-wasm/engine/artefact.ts` reads both forms. */
function compressEngine(): void {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  writeFileSync(`${ENGINE}.zst`, zstdCompressSync(readFileSync(ENGINE), { params }));
}

/** Copies the declaration files that `exports` reach: a sixth of all. */
function copyTypes(): void {
  rmSync(TYPES, { recursive: true, force: true });
  const { exports }: { exports: Record<string, string | { readonly types: string }> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  for (const entry of Object.values(exports)) {
    if (typeof entry === 'string') continue;
    const compiled = join('dist', relative(TYPES, entry.types));
    for (const file of declarationsOf(compiled)) cpSync(file, join(TYPES, relative('dist', file)));
  }
}
