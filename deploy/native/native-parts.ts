import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isNamed, listExtensionFiles } from '../../adapters/duckdb-native/engine/extension-files.ts';
import type { ExtensionSettings } from '../../adapters/duckdb-native/options.ts';
import { chooseDatabase, type DatabaseChoice } from '../../adapters/node/database/database-choice.ts';
import { ENGINE_VERSION } from '../../adapters/node/database/database-file.ts';
import type { NativeManifest } from '../../src/catalog/manifest.ts';
import { SvcError } from '../../src/errors.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import { type Extension, extensionFileName, inLoadOrder } from '../../src/project/extension.ts';
import type { SiteFile } from '../../src/project/site-model.ts';
import type { Package } from '../sbom/packages.ts';
import type { Contents } from '../targets/target.ts';
import { ARCHITECTURES, type Architecture } from './architecture.ts';
import { DRIVER_FILES, type DriverPackage, loadDriverPackage } from './driver-package.ts';

/** An extension of DuckDB for one processor. */
interface BundledExtension {
  /** The name of its file, without the ending. */
  readonly name: string;
  /** Its path in DuckDB's folder of extensions. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The parts of an artefact with the native engine: the driver, the extensions, and how the database is opened. */
export interface NativeParts {
  readonly arch: Architecture;
  /** The database as this machine opens it. */
  readonly choice: DatabaseChoice;
  readonly manifest: NativeManifest;
  readonly driver: DriverPackage;
  readonly extensions: readonly BundledExtension[];
}

/** Reads the native parts for a processor. */
export async function loadNativeParts(
  root: string,
  site: SiteFile,
  arch: Architecture,
): Promise<NativeParts> {
  const choice = chooseDatabase(
    root,
    site,
    { ...process.env, SVC_DATABASE_ENGINE: 'native' },
    { serves: true },
  );
  const [driver, extensions] = await Promise.all([
    loadDriverPackage(arch),
    readExtensions(choice.extensions ?? {}, arch),
  ]);
  return { arch, choice, manifest: toNativeManifest(choice, arch), driver, extensions };
}

/** Reads the files of the extensions for a processor. */
async function readExtensions(
  settings: ExtensionSettings,
  arch: Architecture,
): Promise<readonly BundledExtension[]> {
  const target = { version: `v${ENGINE_VERSION}`, platform: ARCHITECTURES[arch].duckdb };
  const found = await listExtensionFiles(settings, target);
  const read = found.map(async ({ name, path }) => {
    const file = extensionFileName(name);
    const bytes = await readFile(path);
    return { name: file, path: `${target.version}/${target.platform}/${file}.duckdb_extension`, bytes };
  });
  return Promise.all(read);
}

/** The extensions as an artefact loads them: from its own folder. Only those of the community need their repository. */
function bundledExtensions(extensions: readonly Extension[]): readonly Extension[] {
  return inLoadOrder(extensions).map(({ name, repo }) =>
    repo !== undefined && isNamed(repo) && repo !== 'core' ? { name, repo } : { name },
  );
}

/** The database of an artefact is read-only, unless it consists of attached databases alone. */
function toNativeManifest(choice: DatabaseChoice, arch: Architecture): NativeManifest {
  const { path, readonly, external = false, extensions, attach = [], use = null, isolated } = choice;
  return {
    arch,
    readonly: readonly || path !== MEMORY_PATH,
    external,
    extensions: bundledExtensions(extensions?.extensions ?? []),
    attach,
    use,
    ...(isolated === undefined ? {} : { isolated }),
  };
}

/** The files of the driver and of the extensions, by their paths in the artefact. */
export function nativeContents({ driver, extensions }: NativeParts): Contents {
  return {
    ...Object.fromEntries(DRIVER_FILES.map((file) => [`native/${file}`, driver.files[file]])),
    ...Object.fromEntries(extensions.map(({ path, bytes }) => [`extensions/${path}`, bytes])),
  };
}

/** A digest of everything that the native parts add to an artefact. */
export function nativeHash(parts: NativeParts): string {
  const hash = createHash('sha256').update(JSON.stringify(parts.manifest));
  for (const content of Object.values(nativeContents(parts))) hash.update(content);
  return hash.digest('hex');
}

/** The package of the driver, for the bill of materials. */
export function driverMaterial({ driver }: NativeParts): Package {
  const { name, version, license } = driver;
  return { name, version, license: 'MIT', folder: '', imports: [], text: license };
}

/** Throws if files are to be loaded into a database that is elsewhere. */
export function refuseLoad({ choice: { path, attach = [] } }: NativeParts): void {
  if (path !== MEMORY_PATH) return;
  const names = attach.map(({ name, uri, own }) => (own ? uri : name)).join(', ');
  throw new SvcError(
    'usage',
    `--load fills the artefact's own database file, and this profile's data is in ${names}. Load the files there.`,
  );
}
