import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isAlive } from './exclusive.js';
import { DEVELOPMENT_NODE, ROOT } from './root.js';
import { announced, run } from './run.js';

const BUILD = join(ROOT, 'build');
const DIST = join(ROOT, 'dist');
const DAY_MS = 86_400_000;
const STAMP = join(DIST, '.sources');
const FOLDERS = ['src', 'adapters', 'deploy', 'cli'];
/** The page of the workbench, which esbuild bundles for browsers. */
const PAGE = 'workbench';
const FILES = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/** Whether dist was compiled from the present sources. Compares sizes and times of the files and reads none. */
export function distFresh() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest();
}

/** Compiles beside dist, then replaces it. Code with type errors leaves no compiled code, rather than an old one. */
export async function ensureDist() {
  if (distFresh()) return;
  const stamp = digest();
  removeLeftovers();
  const fresh = join(BUILD, `.dist-${process.pid}`);
  const { status, output } = await announced('compiling ...', 1000, () => compile(fresh));
  rmSync(STAMP, { force: true });
  for (const folder of [...FOLDERS, PAGE]) rmSync(join(DIST, folder), { recursive: true, force: true });
  if (status === 0) install(fresh, stamp);
  rmSync(fresh, { recursive: true, force: true });
  if (status !== 0) throw new Error(`the code of this checkout does not compile:\n${output}`);
}

/** Removes the output of compilers that were killed. */
function removeLeftovers() {
  for (const name of existsSync(BUILD) ? readdirSync(BUILD) : []) {
    const pid = Number(/^\.dist-(\d+)$/.exec(name)?.[1] ?? 0);
    const path = join(BUILD, name);
    if (pid > 0 && (!isAlive(pid) || Date.now() - statSync(path).mtimeMs > DAY_MS)) remove(path);
  }
}

function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // a compiler that outlived its parent still writes there; the next set-up removes it
  }
}

async function compile(out) {
  rmSync(out, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const compiled = await Promise.all([
    run(DEVELOPMENT_NODE, [tsc, '-p', 'tsconfig.build.json', '--outDir', out, '--noEmitOnError'], QUIET),
    run(DEVELOPMENT_NODE, [tsc, '-p', `${PAGE}/tsconfig.json`], QUIET),
  ]);
  const failed = compiled.find(({ status }) => status !== 0);
  return failed ?? bundlePage(join(out, PAGE));
}

const QUIET = { cwd: ROOT, quiet: true };

function licenceOf(name) {
  return readFileSync(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8').trim();
}

/** Bundles the page to one script and one style, named by their content. */
async function bundlePage(outdir) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: ROOT,
    entryPoints: [`${PAGE}/main.tsx`],
    entryNames: '[name]-[hash]',
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    banner: { js: `/*! This file contains Preact.\n\n${licenceOf('preact')} */` },
  });
  return { status: 0, output: '' };
}

/** Moves folder by folder, because the wasm artefact lies in dist too. */
function install(fresh, stamp) {
  mkdirSync(DIST, { recursive: true });
  for (const file of sources().filter(isCopied)) {
    mkdirSync(dirname(join(fresh, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(fresh, file));
  }
  for (const folder of [...FOLDERS, PAGE]) renameSync(join(fresh, folder), join(DIST, folder));
  writeFileSync(STAMP, stamp);
}

function digest() {
  const hash = createHash('sha256');
  for (const file of sources()) {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Files that are copied unchanged: Python and licences. */
function isCopied(file) {
  return /\.pyi?$|\/LICENSE\.\w+\.txt$/.test(file);
}

function sources() {
  return [...[...FOLDERS, PAGE].flatMap((folder) => below(folder)), ...FILES];
}

function below(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return below(path);
      return /\.(tsx?|json|css|pyi?)$|^LICENSE\.\w+\.txt$/.test(entry.name) ? [path] : [];
    });
}
