import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { messageOf, SvcError } from '../../src/errors.ts';
import { ARCHITECTURES, type Architecture } from './architecture.ts';
import { readTar } from './tar.ts';

/** The native driver of this version of svc; a test compares it with package-lock.json. */
export const DRIVER_VERSION = '1.5.5-r.5';

/** The digests of its packages, as in package-lock.json. */
export const DRIVER_INTEGRITY: { readonly [name in Architecture]: string } = {
  x86_64: 'sha512-kCyq6BXhn6QXfwF8yVdVKriSSHP+rfVWcJ56cG8qZzlOZpxyvT5WGm6jMshxg4ditLlOsHsIN/D47RYrcjXuHQ==',
  arm64: 'sha512-CafH2AIvXtpwDynG3KB/4uEOHRGlFoB7auCRMIwH3BKNIobsANV5LSpDJ3tfyRCFIsK6e8AT1eseWVnu2Dv3cw==',
};

/** The files of a driver package that run, and its licence. */
export const DRIVER_FILES = ['duckdb.node', 'libduckdb.so'] as const;
const LICENSE = 'LICENSE';

/** The package of the driver for one processor. */
export interface DriverPackage {
  readonly name: string;
  readonly version: string;
  readonly files: { readonly [name in (typeof DRIVER_FILES)[number]]: Uint8Array };
  readonly license: string;
}

/** The npm package of the driver for Linux on a processor. */
export function driverPackageName(arch: Architecture): string {
  return `@duckdb/node-bindings-linux-${ARCHITECTURES[arch].npm}`;
}

/**
 * Reads the driver for a processor: the installed package if it is of the pinned version, otherwise the package of the
 * npm registry, whose digest is checked. Throws file_unavailable.
 */
export async function loadDriverPackage(arch: Architecture): Promise<DriverPackage> {
  const name = driverPackageName(arch);
  const read = (await installedFiles(name)) ?? (await registryFiles(name, DRIVER_INTEGRITY[arch]));
  const [node, library, license] = await Promise.all([...DRIVER_FILES, LICENSE].map(read));
  if (node === undefined || library === undefined || license === undefined) throw incomplete(name);
  return {
    name,
    version: DRIVER_VERSION,
    files: { 'duckdb.node': node, 'libduckdb.so': library },
    license: license.toString('utf8'),
  };
}

type ReadFile = (file: string) => Promise<Buffer | undefined>;

async function installedFiles(name: string): Promise<ReadFile | null> {
  try {
    const bindings = createRequire(import.meta.url).resolve('@duckdb/node-bindings/package.json');
    const described = createRequire(bindings).resolve(`${name}/package.json`);
    const { version }: { readonly version?: unknown } = JSON.parse(await readFile(described, 'utf8'));
    return version === DRIVER_VERSION ? (file) => readFile(join(dirname(described), file)) : null;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') return null;
    throw thrown;
  }
}

/** Asks npm, which knows the registry, the proxy and the cache of this machine. */
async function registryFiles(name: string, integrity: string): Promise<ReadFile> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-driver-'));
  try {
    await npmPack(`${name}@${DRIVER_VERSION}`, folder);
    const [file = ''] = await readdir(folder);
    const archive = await readFile(join(folder, file));
    checkIntegrity(name, archive, integrity);
    const files = readTar(gunzipSync(archive));
    return async (path) => files.get(`package/${path}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function npmPack(spec: string, folder: string): Promise<void> {
  const args = ['pack', spec, '--silent', '--pack-destination', folder];
  try {
    await promisify(execFile)('npm', args, { cwd: folder, shell: process.platform === 'win32' });
  } catch (cause) {
    const [reason = ''] = messageOf(cause).split('\n');
    throw new SvcError(
      'file_unavailable',
      `The native driver for this target, ${spec}, cannot be downloaded with npm: ${reason}
Build where the npm registry can be reached, or install the package beforehand with \`npm install --force ${spec}\`.`,
      { cause },
    );
  }
}

/** Throws if an archive is not the pinned one. */
export function checkIntegrity(name: string, archive: Uint8Array, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  if (found === integrity) return;
  throw new SvcError(
    'file_unavailable',
    `The package ${name}@${DRIVER_VERSION} from the npm registry is not the pinned one: its digest is ${found}, not ${integrity}.
Check the registry that npm uses (\`npm config get registry\`).`,
  );
}

function incomplete(name: string): SvcError {
  return new SvcError(
    'file_unavailable',
    `The package ${name}@${DRIVER_VERSION} lacks a file. Install it again with \`npm ci\`.`,
  );
}
