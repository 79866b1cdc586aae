import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from '../setup/root.js';
import { firstReason } from './first-reason.js';
import { installOnce } from './install-once.js';
import { installNpm, npmPins } from './npm-packages.js';
import { installPython, pythonPins } from './python-packages.js';
import { tried } from './tried.js';

const FOLDER = join(ROOT, 'build/idp');
const MAVEN = 'https://repo1.maven.org/maven2';
/** Keycloak first, then DynamoDB Local with the libraries that it loads: the hash of each, and its path at Maven Central. */
const FILES = readFileSync(new URL('idp.sha256', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('  '));
/** One file has 180 MB. */
const DOWNLOAD_MS = 300_000;
const BUILD_MS = 300_000;
/** Built once, so that each start takes seconds. */
const BUILD = ['build', '--db=dev-mem'];

/**
 * The folder of a real Keycloak, DynamoDB Local and OAuth clients, installed on first use; null, and the reason, if
 * Java, python3 or a package index is missing. Throws on a file with another hash, and if Keycloak cannot be built.
 */
export async function ensureIdp() {
  if (platform() !== 'linux' || arch() !== 'x64') return { bin: null, reason: 'it needs Linux on x64' };
  const java = await tried('java', ['-version'], 'there is no Java');
  if (java !== '') return { bin: null, reason: java };
  const reason = await installOnce(FOLDER, [...FILES.flat(), pythonPins('idp'), npmPins('idp')], install);
  return { bin: reason === '' ? FOLDER : null, reason };
}

async function install() {
  for (const folder of ['keycloak', 'dynamodb']) mkdirSync(join(FOLDER, folder), { recursive: true });
  const reasons = await Promise.all([installKeycloak(), installDynamo(), installClients()]);
  return reasons.find((reason) => reason !== '') ?? '';
}

async function installKeycloak() {
  const archive = join(FOLDER, 'keycloak.tar.gz');
  const home = join(FOLDER, 'keycloak');
  return firstReason([
    () => download(FILES[0], archive),
    () => enforced('tar', ['xzf', archive, '-C', home, '--strip-components=1'], 'Keycloak is incomplete'),
    () => enforced(join(home, 'bin/kc.sh'), BUILD, 'Keycloak cannot be built', ROOT, BUILD_MS),
    async () => {
      rmSync(archive);
      return '';
    },
  ]);
}

/** Runs a program whose failure is no matter of a missing part. */
async function enforced(...command) {
  const reason = await tried(...command);
  if (reason !== '') throw new Error(reason);
  return '';
}

async function installDynamo() {
  const steps = FILES.slice(1).map(([hash, path]) => () => {
    // Java looks for native libraries without a version.
    const name = basename(path).replace(/-[\d.]+\.so$/, '.so');
    return download([hash, path], join(FOLDER, 'dynamodb', name));
  });
  return firstReason(steps);
}

function installClients() {
  return firstReason([() => installPython('idp', join(FOLDER, 'venv')), () => installNpm('idp', FOLDER)]);
}

/** Downloads one file. Returns the reason of a failure, or an empty text. Throws on another hash. */
async function download([hash, path], target) {
  const bytes = await fetchBytes(path);
  if (typeof bytes === 'string') return bytes;
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== hash) throw new Error(`${path} has another hash: ${found}`);
  writeFileSync(target, bytes);
  return '';
}

async function fetchBytes(path) {
  try {
    const response = await fetch(`${MAVEN}/${path}`, { signal: AbortSignal.timeout(DOWNLOAD_MS) });
    if (!response.ok) return `Maven Central answered ${response.status} for ${path}`;
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    return `Maven Central cannot be reached: ${error.cause?.message ?? error.message}`;
  }
}
