import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEVELOPMENT_NODE, ROOT } from './root.js';
import { announced, run } from './run.js';

const LOCK = join(ROOT, 'package-lock.json');
const INSTALLED = join(ROOT, 'node_modules/.package-lock.json');
const STAMP = join(ROOT, 'node_modules/.svc-lock-hash');
const START_STAMP = join(ROOT, 'node_modules/.svc-start-hash');

/** Whether node_modules matches the lock file. */
export function dependenciesFresh() {
  const hash = hashOf(LOCK);
  if (read(STAMP) === hash && isThere(DEVELOPMENT_NODE)) return true;
  if (!isThere(DEVELOPMENT_NODE) || !installedMatchesLock()) return false;
  writeFileSync(STAMP, hash);
  return true;
}

/** The packages that a start needs beside the dependencies: the native engine, and the tools that make dist. */
const START_PACKAGES = ['@duckdb/node-api', '@duckdb/node-bindings', 'esbuild', 'preact'];
const OLDEST_NODE = [22, 15];

/** Whether a start has all it needs. */
export function startFresh() {
  if (dependenciesFresh()) return true;
  return read(START_STAMP) === hashOf(LOCK) && (newEnough() || isThere(DEVELOPMENT_NODE));
}

/**
 * Installs the packages that a start needs, in the locked versions. A checkout that has the tools for tests gets all
 * dependencies, because npm would remove those tools.
 */
export async function ensureStart() {
  if (startFresh()) return;
  if (existsSync(join(ROOT, 'node_modules/@types/node')) || read(LOCK) === null) return ensureDependencies();
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'));
  const names = newEnough() ? START_PACKAGES : [...START_PACKAGES, 'node'];
  const wanted = names.map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
  // In place of `npm ci`, which can leave out all development packages or none.
  const args = ['install', '--no-save', '--save-prod', '--omit=dev', '--no-audit', '--no-fund', ...wanted];
  const { status } = await announced('installing what a start needs (npm install) ...', 0, () =>
    run('npm', args, { cwd: ROOT }),
  );
  if (status !== 0) throw new Error(INSTALL_FAILED.replace('npm ci', 'npm install'));
  if (!newEnough() && !isThere(DEVELOPMENT_NODE)) throw new Error(NODE_MISSING);
  writeFileSync(START_STAMP, hashOf(LOCK));
}

function newEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

/** Installs the locked dependencies when they are missing or older than the lock file. */
export async function ensureDependencies() {
  if (dependenciesFresh()) return;
  const { status } = await announced('installing dependencies (npm ci) ...', 0, () =>
    run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: ROOT }),
  );
  if (status !== 0) throw new Error(INSTALL_FAILED);
  if (!isThere(DEVELOPMENT_NODE)) throw new Error(NODE_MISSING);
  writeFileSync(STAMP, hashOf(LOCK));
}

/** Whether an `npm ci` or `npm install` by hand has installed the same: npm records it. */
function installedMatchesLock() {
  const installed = packagesOf(INSTALLED);
  const wanted = packagesOf(LOCK);
  if (!installed || !wanted) return false;
  const known = Object.keys(installed).every((path) => wanted[path]);
  return (
    known && Object.entries(wanted).every(([path, entry]) => path === '' || agrees(entry, installed[path]))
  );
}

/**
 * Whether an installed package matches the lock. Optional packages may be missing if they do not fit the platform.
 */
function agrees(wanted, installed) {
  if (!installed) return Boolean(wanted.optional || wanted.devOptional || wanted.peer);
  return wanted.version === installed.version && wanted.integrity === installed.integrity;
}

function packagesOf(file) {
  const text = read(file);
  return text === null ? null : JSON.parse(text).packages;
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function isThere(program) {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const INSTALL_FAILED = `\`npm ci\` failed; the reason is printed above.
  This checkout needs the package registry once. Check the network or proxy, then run the same command again.`;

const NODE_MISSING = `the Node that this checkout runs on (node_modules/node/bin/node) was not installed.
  npm was told to skip install scripts. Allow them: npm config delete ignore-scripts, then run the same command again.`;
