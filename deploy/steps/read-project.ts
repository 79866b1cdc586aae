import { MOST_MB } from '../../adapters/duckdb-wasm/engine/open-database.ts';
import { memoryLimitOf } from '../../adapters/node/database/memory-limit.ts';
import { pythonFilesOf } from '../../adapters/python/pool/warm.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import { SvcError } from '../../src/errors.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import { toMegabytes } from '../../src/project/memory.ts';
import type { SiteFile } from '../../src/project/site-model.ts';
import type { Callers } from '../../src/settings/sign-in.ts';
import type { BuildOptions } from '../build-options.ts';
import { callersOf, readConfig } from '../bundled-user-file.ts';
import { combineCallers, enforceCallers } from '../callers.ts';
import { compileProject } from '../compile-project.ts';
import { type Architecture, thisArchitecture } from '../native/architecture.ts';
import { loadNativeParts, type NativeParts, refuseLoad } from '../native/native-parts.ts';
import { type ProjectPackage, readProjectPackage } from '../project-package.ts';
import { type CarriedPython, readPython } from '../python/carried-python.ts';
import { nothingToSort } from '../sort-tables.ts';
import { TARGET_NAMES, TARGETS, type TargetName, toChoice } from '../targets/targets.ts';

/** A project that was checked and read, ready to be written for a platform. */
export interface Ready {
  readonly site: SiteFile;
  readonly catalog: Catalog;
  readonly config: string | null;
  readonly callers: Callers;
  readonly about: ProjectPackage;
  /** The memory limit of queries, in megabytes. Absent if neither the profile nor the environment of the build has one. */
  readonly memoryMb?: number;
  readonly python: CarriedPython | null;
  /** Null for the wasm engine. */
  readonly native: NativeParts | null;
}

/** Compiles the project, and reads everything beside it that the artefact takes in. Throws if the target or its callers do not fit. */
export async function readProject(options: BuildOptions): Promise<Ready> {
  const arch = architectureOf(options);
  const { site, catalog } = await compileProject(options.root, options.profile, options);
  if (site.database.path === MEMORY_PATH && (options.sort ?? []).length > 0) throw nothingToSort();
  const { project, profile } = site;
  const config = await readConfig(options.config, options.root, { project, profile, target: options.target });
  const callers = combineCallers(callersOf(config, { project, profile }), options);
  enforceCallers(callers, catalog, options);
  const about = await readProjectPackage(options.root);
  const python = await readPython(options.root, pythonFilesOf(catalog), site.paths.python);
  const native = arch === null ? null : await loadNativeParts(options.root, site, arch);
  if (native !== null && options.load) refuseLoad(native);
  const memory = memoryLimitOf(process.env, toMegabytes(site.database.memoryLimit ?? ''));
  return { site, catalog, config, callers, about, python, native, ...(native ? memory : toWasm(memory)) };
}

/** The wasm engine has 32-bit addresses. */
function toWasm({ memoryMb }: Pick<Ready, 'memoryMb'>): Pick<Ready, 'memoryMb'> {
  return memoryMb === undefined ? {} : { memoryMb: Math.min(memoryMb, MOST_MB) };
}

/** The processor of a native artefact; null for the wasm engine. Throws if the target or the options do not fit. */
function architectureOf({ target, engine, arch }: BuildOptions): Architecture | null {
  if (engine !== 'native') {
    if (arch === undefined) return null;
    throw new SvcError(
      'usage',
      '--arch is for --engine native. An artefact with the wasm engine runs on any processor.',
    );
  }
  const { architecture } = TARGETS[target];
  if (architecture === null) throw noNative(target);
  return arch ?? (architecture === 'this' ? thisArchitecture() : architecture);
}

function noNative(target: TargetName): SvcError {
  const able = TARGET_NAMES.filter((name) => TARGETS[name].architecture !== null);
  return new SvcError(
    'usage',
    `\`svc build\` makes no artefact with the native engine for ${TARGETS[target].title}. Choose ${toChoice(able)} with --target, or leave --engine out.`,
  );
}
