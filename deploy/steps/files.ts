import { createHash } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditSettingsOf } from '../../adapters/artefact/audit.ts';
import { artefactFolder, readEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import type { Manifest } from '../../src/catalog/manifest.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import type { SiteFile } from '../../src/project/site-model.ts';
import type { Allowed } from '../../src/quality/gate/report.ts';
import { VERSION } from '../../src/version.ts';
import type { BuildOptions } from '../build-options.ts';
import type { Bundles } from '../bundle.ts';
import { toCallersLine } from '../callers.ts';
import type { CopiedDatabase, ServedDatabase } from '../database.ts';
import { driverMaterial, type NativeParts, nativeHash } from '../native/native-parts.ts';
import { pyodidePackage, pythonHash } from '../python/pyodide-files.ts';
import { materialFiles } from '../sbom/files.ts';
import {
  type BuildTarget,
  CONFIG_FILE,
  type Contents,
  ENGINE_PROCESS,
  type NativeFacts,
} from '../targets/target.ts';
import type { TargetName } from '../targets/targets.ts';
import { tokenTableOf, variablesOf } from '../variables.ts';
import type { Ready } from './read-project.ts';

/** The files of the bundled programs. */
export function toBundleFiles(bundles: Bundles): Contents {
  return Object.fromEntries([...bundles].map(([path, { code }]) => [path, code]));
}

/** The SBOM and the licences of everything that the artefact contains. */
export function toMaterials(
  bundles: Bundles,
  { catalog: { project }, python, native }: Ready,
  { hash, version }: Manifest,
  { target }: BuildOptions,
): Contents {
  const metafiles = [...bundles.values()].map(({ metafile }) => metafile);
  const copied = [
    ...(python === null ? [] : [pyodidePackage()]),
    ...(native === null ? [] : [driverMaterial(native)]),
  ];
  const engine = native === null ? engineFolder() : null;
  return materialFiles({ project, target, hash, version }, metafiles, {
    engine,
    copied,
    extensions: native?.extensions ?? [],
  });
}

/** The files that the platform asks for, such as its configuration. */
export async function toPlatformFiles(
  target: BuildTarget,
  { catalog: { project }, config, callers, about, python, native }: Ready,
  { version, database, profile }: Manifest,
  name: TargetName,
): Promise<Contents> {
  const facts = {
    project,
    callers: toCallersLine(callers, name),
    version,
    about,
    config: config !== null,
    variables: variablesOf(config, { project, profile }),
    tokenTable: tokenTableOf(config, { project, profile }),
    python: python !== null,
    native: native === null ? null : toNativeFacts(native, database),
    ...(database.remote === undefined ? {} : { remote: { ...database.remote, bytes: database.bytes } }),
  };
  return {
    ...target.files(facts),
    ...(python === null ? {} : await target.python.files(python, facts)),
  };
}

function toNativeFacts({ arch, extensions, manifest }: NativeParts, { name }: CopiedDatabase): NativeFacts {
  const folders = [
    'native',
    ...(extensions.length > 0 ? ['extensions'] : []),
    ...(name === MEMORY_PATH ? [] : ['database']),
  ];
  return { arch, folders, files: manifest.isolated === undefined ? [] : [ENGINE_PROCESS] };
}

/** The files that the program of an artefact reads when it starts. */
export function toServedFiles({ config }: Ready, manifest: Manifest): Contents {
  return {
    'manifest.json': `${JSON.stringify(manifest)}\n`,
    ...(config === null ? {} : { [CONFIG_FILE]: config }),
  };
}

const ENGINE_FILES = ['trampolines.wasm', 'LICENSE.duckdb.txt'];

/** Copies the engine that every artefact runs on. */
export async function copyEngine(folder: string): Promise<void> {
  await writeFile(join(folder, 'duckdb.wasm'), await readEngine());
  for (const file of ENGINE_FILES) await copyFile(join(engineFolder(), file), join(folder, file));
}

/** The folder of the engine. Throws `database_unavailable` if it is missing. */
function engineFolder(): string {
  return fileURLToPath(artefactFolder());
}

/** The manifest of an artefact. Its hash covers everything that decides how the artefact answers. */
export function toManifest(
  { site, catalog, config, callers, python, native, memoryMb }: Ready,
  database: ServedDatabase,
  allowed: readonly Allowed[],
): Manifest {
  const { profile } = site;
  const secrets = secretNamesOf(site);
  const audit = auditSettingsOf(site.audit, process.env);
  const parts = [
    catalog.hash,
    database.sha256,
    JSON.stringify([database.name, profile, secrets, audit, config, callers]),
    ...(allowed.length === 0 ? [] : [JSON.stringify(allowed)]),
    ...(memoryMb === undefined ? [] : [String(memoryMb)]),
    ...(python === null ? [] : [pythonHash(python)]),
    ...(native === null ? [] : [nativeHash(native)]),
  ];
  const hash = createHash('sha256').update(parts.join(' ')).digest('hex');
  const manifest = {
    svc: 1,
    version: VERSION,
    hash,
    database,
    profile,
    secrets,
    access: callers,
    audit,
    catalog,
    ...(allowed.length === 0 ? {} : { allowed }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(native === null ? {} : { native: native.manifest }),
  } as const;
  return python === null ? manifest : { ...manifest, python: { folder: python.folder } };
}

/** The secrets that the project names, also those of its attached databases. */
function secretNamesOf({ secrets, database: { attach } }: SiteFile): readonly string[] {
  return [...new Set([...secrets, ...attach.flatMap(({ secret }) => secret ?? [])])];
}
