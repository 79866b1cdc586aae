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
/** The drawings of views, which are a part of that page. */
const DRAWINGS = 'views';
const FILES = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/** Whether dist was compiled from the present sources. Compares sizes and times of the files and reads none. */
export function distFresh() {
  if (!existsSync(STAMP)) return false;
  const stamp = readFileSync(STAMP, 'utf8');
  return stamp === digest() || (!hasCompiler() && stamp === digest() + UNCHECKED);
}

/** The end of the stamp of code whose types were not checked. */
const UNCHECKED = ' unchecked';
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** The compiler's threads read the same types each for itself: they cost half as much again, and save no time here. */
const ONE_THREAD = '--singleThreaded';

/** Whether the compiler is installed, with the packages whose types it reads. */
function hasCompiler() {
  return existsSync(TSC) && existsSync(join(ROOT, 'node_modules/@types/node'));
}

/** Compiles beside dist, then replaces it. Code with type errors leaves no compiled code, rather than an old one. */
export async function ensureDist() {
  if (distFresh()) return;
  const checks = hasCompiler();
  const stamp = digest() + (checks ? '' : UNCHECKED);
  removeLeftovers();
  const fresh = join(BUILD, `.dist-${process.pid}`);
  const { status, output } = await announced('compiling ...', 1000, () =>
    checks ? compile(fresh) : strip(fresh),
  );
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
  const compiled = await Promise.all([
    run(
      DEVELOPMENT_NODE,
      [TSC, '-p', 'tsconfig.build.json', '--outDir', out, '--noEmitOnError', ONE_THREAD],
      QUIET,
    ),
    run(DEVELOPMENT_NODE, [TSC, '-p', `${PAGE}/tsconfig.json`, ONE_THREAD], QUIET),
  ]);
  const failed = compiled.find(({ status }) => status !== 0);
  return failed ?? bundlePage(join(out, PAGE));
}

/** The name of a source in an import: a relative path in quotes that ends in `.ts`. */
const SOURCE_NAME = /(\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)(["'])(\.{1,2}\/[^"'\n]+)\.ts\2/g;

/** Removes the types without a check of them, for a checkout that only starts. The result is the code of `compile`. */
async function strip(out) {
  rmSync(out, { recursive: true, force: true });
  const { transform } = await import('esbuild');
  const options = { loader: 'ts', format: 'esm', target: 'es2023', tsconfigRaw: STRIPPED };
  const files = FOLDERS.flatMap(below).filter((file) => /(?<!\.d)\.ts$/.test(file));
  for (const file of files) {
    const source = readFileSync(join(ROOT, file), 'utf8').replaceAll(SOURCE_NAME, '$1$2$3.js$2');
    const to = join(out, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, (await transform(source, { ...options, sourcefile: file })).code);
  }
  return bundlePage(join(out, PAGE));
}

const STRIPPED = { compilerOptions: { verbatimModuleSyntax: true } };

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
  return [...[...FOLDERS, PAGE, DRAWINGS].flatMap((folder) => below(folder)), ...FILES];
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
