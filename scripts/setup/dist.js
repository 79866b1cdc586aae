import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEVELOPMENT_NODE, ROOT } from './root.js';
import { announced, run } from './run.js';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.sources');
const FOLDERS = ['src', 'adapters', 'deploy', 'cli'];
const FILES = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/** Whether dist was compiled from the sources as they are now; stats about 200 files, reads none. */
export function distFresh() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest();
}

/** Compiles beside dist and swaps: code that does not typecheck leaves no dist, never an old one. */
export async function ensureDist() {
  if (distFresh()) return;
  const stamp = digest();
  const fresh = `${DIST}.${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  const args = [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-p',
    'tsconfig.build.json',
    '--outDir',
    fresh,
  ];
  const { status, output } = await announced('compiling ...', 1000, () =>
    run(DEVELOPMENT_NODE, [...args, '--noEmitOnError'], { cwd: ROOT, quiet: true }),
  );
  rmSync(DIST, { recursive: true, force: true });
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error(`the code of this checkout does not compile:\n${output}`);
  }
  writeFileSync(join(fresh, '.sources'), stamp);
  renameSync(fresh, DIST);
}

function digest() {
  const hash = createHash('sha256');
  for (const file of sources()) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function sources() {
  return [...FOLDERS.flatMap((folder) => below(folder)), ...FILES];
}

function below(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return below(path);
      return /\.(ts|json)$/.test(entry.name) ? [path] : [];
    });
}
