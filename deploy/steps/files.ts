import type { Manifest } from '../../src/catalog/manifest.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import type { BuildOptions } from '../build-options.ts';
import { toCallersLine } from '../callers.ts';
import type { CopiedDatabase } from '../database.ts';
import { engineFolder } from '../engine-files.ts';
import { driverMaterial, type NativeParts } from '../native/native-parts.ts';
import { pyodidePackage } from '../python/pyodide-files.ts';
import { materialFiles } from '../sbom/files.ts';
import {
  type BuildTarget,
  CONFIG_FILE,
  type Contents,
  ENGINE_PROCESS,
  type NativeFacts,
} from '../targets/target.ts';
import type { TargetName } from '../targets/targets.ts';
import type { Bundles } from './bundles.ts';
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
  { version, database }: Manifest,
  name: TargetName,
): Promise<Contents> {
  const facts = {
    project,
    callers: toCallersLine(callers, name),
    version,
    about,
    config: config !== null,
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
