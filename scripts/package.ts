import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { declarationsOf } from './package/declarations.ts';

/*
 * The parts of the published package that differ from a checkout: a compressed engine, the public types alone, and
 * permissions that do not depend on the umask.
 */

const ENGINE = 'dist/duckdb-wasm/duckdb.wasm';
const TYPES = 'dist/types';
const LEVEL = 19;

compressEngine();
copyTypes();
setPermissions();

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

/** Sets the permissions of each file that npm packs: npm takes them from the disk. */
function setPermissions(): void {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const options = { encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  const report: readonly { readonly files: readonly { readonly path: string }[] }[] = Object.values(
    JSON.parse(execFileSync('npm', args, options)),
  );
  for (const { path } of report.flatMap(({ files }) => files)) {
    chmodSync(path, path === 'cli/svc.js' ? 0o755 : 0o644);
  }
}
