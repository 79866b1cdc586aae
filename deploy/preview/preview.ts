import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative, sep } from 'node:path';
import { type Manifest, parseManifest } from '../../src/catalog/manifest.ts';
import { SvcError } from '../../src/errors.ts';
import { readUserFile } from '../../src/settings/user-file.ts';
import { VERSION } from '../../src/version.ts';
import { toBundledText } from '../bundled-user-file.ts';
import { hasLog, sha256 } from '../database.ts';
import { CONFIG_FILE } from '../targets/target.ts';
import { TARGETS, type TargetName } from '../targets/targets.ts';
import type { Preview, PreviewOptions } from './process.ts';

/** Runs an artefact on this machine as its platform would. Throws address_unavailable if the port is taken. */
export async function startPreview(target: TargetName, options: PreviewOptions): Promise<Preview> {
  await refuseTakenPort(options.port);
  const { target: platform } = await TARGETS[target].load();
  return platform.preview(options);
}

/**
 * Throws address_unavailable if the port is taken. We check it ourselves, because each platform's own tool reports a
 * taken port in its own way.
 */
export async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (cause) {
    const fix = 'Stop the program that listens there, or choose another with --port (0 takes any free one).';
    throw new SvcError('address_unavailable', `Port ${port} is not free. ${fix}`, { cause });
  }
  server.close();
  await once(server, 'close');
}

const MANIFEST = 'manifest.json';

/** The sources of an artefact. */
interface Sources {
  /** The project's folder. */
  readonly root: string;
  readonly profile: string;
  readonly target: TargetName;
  /** The engine, and the processor of the native one: `native on arm64`. */
  readonly engine: string;
  /** The hash of its endpoints, because a deleted file leaves no other trace. Null if the project has errors. */
  readonly catalog: string | null;
  /** The database, which may lie outside the project. */
  readonly database: string;
  /** The user file to build in; null for the one that the artefact has. */
  readonly config: string | null;
}

/** Returns the reason to build an artefact again; null if it is up to date. */
export async function staleBecause(out: string, sources: Sources): Promise<string | null> {
  const built = await stat(join(out, MANIFEST)).catch(() => null);
  if (built === null) return 'there is no artefact yet';
  const manifest = await manifestOf(out);
  if (manifest === null) return 'another version of svc built it, or its manifest is damaged';
  const { version, profile, catalog, native } = manifest;
  if (version !== VERSION) return `it was built by svc ${version}`;
  if (profile !== sources.profile) return `it was built for the profile ${profile}`;
  const engine = native === undefined ? 'wasm' : `native on ${native.arch}`;
  if (engine !== sources.engine) return `it was built with the engine ${engine}`;
  const { project } = catalog;
  if (await hasOtherConfig(out, { project, ...sources })) return 'it was built with another user file';
  const newer = await newerThan(built.mtimeMs, out, sources);
  if (newer !== null) return `${relative(sources.root, newer)} is newer`;
  if (await isOther(sources.database, manifest.database)) return 'the database is another file';
  return sources.catalog === null || sources.catalog === catalog.hash ? null : 'its endpoints have changed';
}

/** The choices of a build, which the next build of the same profile makes again. */
interface Choices {
  readonly public: boolean;
  readonly python: boolean;
  readonly store?: string | undefined;
}

/** Reads the choices of the build that wrote an artefact. Those for another profile do not count. */
export async function choicesOf(out: string, profile: string): Promise<Choices> {
  const manifest = await manifestOf(out);
  if (manifest?.profile !== profile) return { public: false, python: false };
  return {
    public: manifest.access.public,
    python: manifest.python !== undefined,
    store: manifest.database.remote?.store,
  };
}

/** Null for an artefact that is absent, or whose manifest this version does not read. */
async function manifestOf(out: string): Promise<Manifest | null> {
  try {
    return parseManifest(await readFile(join(out, MANIFEST), 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Whether the project's database is not the one that was copied. Their times do not tell if an older file took its place. A
 * copy that options changed, and a file with a log, cannot be compared.
 */
async function isOther(file: string, copied: Manifest['database']): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile() || copied.changedBy !== undefined || (await hasLog(file))) return false;
  return found.size !== copied.bytes || (await sha256(file)) !== copied.sha256;
}

async function hasOtherConfig(
  out: string,
  { config, ...built }: Pick<Sources, 'config' | 'profile' | 'target'> & { readonly project: string },
): Promise<boolean> {
  if (config === null) return false;
  const { user } = readUserFile(await readFile(config), config);
  return (await bundledUserFile(out)) !== toBundledText(user, built);
}

/** Throws usage if an artefact has a user file, which a build without one would remove together with its sign-in. */
export async function refuseLosingUserFile(out: string, why: string): Promise<void> {
  if ((await bundledUserFile(out)) === null) return;
  throw new SvcError(
    'usage',
    `${out} has a user file and must be built again: ${why}. Without the file, it would lose its sign-in.
Name the file with --config, or another folder with --out.`,
  );
}

/** Throws usage if options changed the database of an artefact, and a build without them would undo that. */
export async function refuseLosingData(out: string, why: string, given: readonly string[]): Promise<void> {
  const { changedBy = [] } = (await manifestOf(out))?.database ?? {};
  const lost = changedBy.filter((option) => !given.includes(option));
  if (lost.length === 0) return;
  const options = lost.join(' and ');
  throw new SvcError(
    'usage',
    `${out} was built with ${options}, and must be built again: ${why}. Without ${options}, its database would be another.
Build it with \`svc build\` and the same options, or name another folder with --out.`,
  );
}

/** Null if the artefact has none. */
function bundledUserFile(out: string): Promise<string | null> {
  return readFile(join(out, CONFIG_FILE), 'utf8').catch(() => null);
}

async function newerThan(built: number, out: string, { root, database }: Sources): Promise<string | null> {
  for (const file of [database, `${database}.wal`, ...(await filesOf(root, out))]) {
    const found = await stat(file).catch(() => null);
    if (found !== null && found.mtimeMs > built) return file;
  }
  return null;
}

/** The files that an author writes; built, installed, hidden and log files do not count. */
async function filesOf(root: string, out: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(`${out}${sep}`) && !IGNORED.test(`${sep}${relative(root, file)}`));
}

const IGNORED = /[\\/](\.|(build|node_modules)[\\/])|\.(jsonl|log|duckdb|wal)$/;
