import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import type { Extension } from '../../../src/project/extension.ts';
import {
  BUILT_IN,
  extensionFileName,
  inLoadOrder,
  packageOfExtension,
  type WantedExtension,
} from '../../../src/project/extension.ts';
import { EXTENSION_REPOS } from '../../../src/project/site-model.ts';
import { absolutePath } from '../../node/absolute-path.ts';
import type { ExtensionSettings } from '../options.ts';

/** The DuckDB that an extension must fit: its version with the `v`, and its name of the platform, e.g. `linux_amd64`. */
export interface ExtensionTarget {
  readonly version: string;
  readonly platform: string;
}

/** The file of an extension. */
export interface ExtensionFile {
  readonly name: string;
  readonly path: string;
}

/** Whether DuckDB knows a repository by its name. */
export function isNamed(repository: string): boolean {
  return EXTENSION_REPOS.some((name) => name === repository);
}

/** Makes the folder of a repository absolute. Leaves an address and a name as they are. */
export function resolveRepository(root: string, repository: string): string {
  return isNamed(repository) || isAddress(repository) ? repository : absolutePath(root, repository);
}

function isAddress(repository: string): boolean {
  return /^https?:\/\//.test(repository);
}

/**
 * Lists the files of a project's extensions in the order in which they load, from the folders of the settings. DuckDB
 * checks their signatures when it loads them. Throws `database_unavailable` if a file is missing, or is made for
 * another version or platform. Extensions inside of the engine have no file.
 */
export async function listExtensionFiles(
  settings: ExtensionSettings,
  target: ExtensionTarget,
): Promise<readonly ExtensionFile[]> {
  const files: ExtensionFile[] = [];
  for (const extension of inLoadOrder(settings.extensions ?? [])) {
    if (BUILT_IN.has(extension.name.toLowerCase())) continue;
    const path = await findExtensionFile(extension, settings, target);
    if (path === null) throw missingError(extension, settings, target);
    const misfit = await misfitOf(path, target);
    if (misfit !== null) throw refusedError(extension, target, misfit);
    files.push({ name: extension.name, path });
  }
  return files;
}

/** The path of an extension's file in the folder that is given for it, or else among the installed ones; null for none. */
async function findExtensionFile(
  extension: Extension,
  settings: ExtensionSettings,
  target: ExtensionTarget,
): Promise<string | null> {
  for (const path of givenPaths(extension, settings, target)) {
    if (await isFile(path)) return path;
  }
  const installed = installedPath(extension, settings, target);
  return (await isFile(installed)) ? installed : null;
}

/** The paths of an extension below its folder: in DuckDB's own layout, or directly in it. */
export function givenPaths(
  extension: Extension,
  settings: ExtensionSettings,
  { version, platform }: ExtensionTarget,
): readonly string[] {
  const repository = repositoryOf(extension, settings);
  if (repository === null || isNamed(repository) || isAddress(repository)) return [];
  const file = fileOf(extension);
  return [join(repository, version, platform, file), join(repository, file)];
}

/** The folder, the address or the name of the repository of an extension; null if the settings give none. */
export function repositoryOf({ repo }: Extension, { extensionRepository }: ExtensionSettings): string | null {
  return extensionRepository ?? repo ?? null;
}

export async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ?? false;
}

function installedPath(
  extension: Extension,
  { extensionDirectory }: ExtensionSettings,
  { version, platform }: ExtensionTarget,
): string {
  const folder = extensionDirectory ?? absolutePath('', '~/.duckdb/extensions');
  return join(folder, version, platform, fileOf(extension));
}

function fileOf({ name }: Extension): string {
  return `${extensionFileName(name)}.duckdb_extension`;
}

/** The last bytes of an extension: eight fields of 32 bytes, the last one first, and a signature. */
const FOOTER = 512;
const FIELD = 32;

/** Describes why a file fits no such DuckDB; null if it fits. */
async function misfitOf(path: string, target: ExtensionTarget): Promise<string | null> {
  const [, , , abi, , version, platform, magic] = await readFooter(path);
  if (magic !== '4') return `${path} is not an extension of DuckDB`;
  if (platform !== target.platform) return `${path} is made for ${platform}, not for ${target.platform}`;
  // An extension on DuckDB's C interface names the version of that interface.
  if (abi !== 'CPP' || version === target.version) return null;
  return `${path} is made for DuckDB ${version}, not for ${target.version}`;
}

async function readFooter(path: string): Promise<readonly string[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(FOOTER);
    await file.read(bytes, 0, FOOTER, Math.max(0, size - FOOTER));
    const fieldAt = (index: number) => bytes.toString('latin1', index * FIELD, (index + 1) * FIELD);
    return Array.from({ length: 8 }, (_, index) => fieldAt(index).replace(/\0+$/, ''));
  } finally {
    await file.close();
  }
}

/** The error for an extension that is in no folder, with the ways to get it. */
export function missingError(
  extension: WantedExtension,
  settings: ExtensionSettings,
  target: ExtensionTarget,
  cause?: unknown,
): SvcError {
  const [first = installedPath(extension, settings, target)] = givenPaths(extension, settings, target);
  return refusedError(extension, target, `there is no file ${first}`, cause);
}

/** The error for an extension that is refused for a reason, with the ways to get one that fits. */
export function refusedError(
  extension: WantedExtension,
  target: ExtensionTarget,
  reason: string,
  cause?: unknown,
): SvcError {
  const { name, neededBy } = extension;
  const subject = neededBy === undefined ? name : `${name}, which ${neededBy} needs,`;
  return new SvcError(
    'database_unavailable',
    `The extension ${subject} cannot be loaded: ${reason}.\n${wayTo(extension, target)}`,
    { cause },
  );
}

function wayTo(extension: Extension, { version, platform }: ExtensionTarget): string {
  const { name, repo } = extension;
  const file = fileOf(extension);
  if (repo === 'community') {
    return `Install it once where the network is open (\`repo: community\`), or put ${file} for DuckDB ${version} on ${platform} into the folder of SVC_EXTENSION_REPOSITORY.`;
  }
  const wheel = `${packageOfExtension(name)}==${version.slice(1)}`;
  return `Put ${file} for DuckDB ${version} on ${platform} into a folder and name that by \`repo\` or SVC_EXTENSION_REPOSITORY; \`pip download --no-deps ${wheel}\` gets it, inside of a zip file. Or write \`repo: core\` to download it from DuckDB when the server starts.`;
}
