import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { loadTelemetry } from '../adapters/artefact/telemetry.ts';
import type { Finding } from '../src/project/finding.ts';
import { checkAddress } from './address-check.ts';
import type { BuildOptions, BuildResult } from './build-options.ts';
import { loadBundler } from './bundle.ts';
import { namesTelemetry } from './bundled-user-file.ts';
import { lostProtections, toCallersLine } from './callers.ts';
import type { ServedDatabase } from './database.ts';
import { nativeContents } from './native/native-parts.ts';
import { enforcePythonTarget, noPython } from './python/check.ts';
import { replaceFolder } from './replace-folder.ts';
import { bundleEntries } from './steps/bundles.ts';
import { inspectDatabase, moveRemote, writeDatabase } from './steps/database.ts';
import {
  copyEngine,
  toBundleFiles,
  toManifest,
  toMaterials,
  toPlatformFiles,
  toServedFiles,
} from './steps/files.ts';
import { type Ready, readProject } from './steps/read-project.ts';
import type { BuildTarget, BuiltFile, Contents } from './targets/target.ts';
import { runsPython, TARGETS } from './targets/targets.ts';

/**
 * Writes a folder that serves the project by itself. The same project gives the same bytes, but for tables that `load` and
 * `sort` write: DuckDB compresses them by random samples. The folder is replaced only after the last step; if a step throws,
 * the older folder stays.
 */
export async function buildTarget(options: BuildOptions): Promise<BuildResult> {
  // Asked for before the long steps.
  await loadBundler();
  const { onStep = () => {}, onUnfinished } = options;
  onStep('reading the project');
  const { target } = await TARGETS[options.target].load();
  const ready = await readProject(options);
  if (ready.config !== null && namesTelemetry(ready.config)) await loadTelemetry();
  const warnings = [
    ...checkPython(ready, options),
    ...checkReach(ready, options),
    ...(target.check?.(ready.about) ?? []),
  ];
  const out = resolve(options.root, options.out ?? join('build', options.target));
  const write = async (folder: string) => {
    onStep('copying the engine');
    await writeEngine(folder, ready);
    onStep('copying the database');
    const { copy, loaded, ...written } = await writeDatabase(folder, target, ready, options);
    onStep('checking statements and tests');
    const allowed = await inspectDatabase({ folder, target, copy, ...written }, ready, options);
    refuseUnrunnablePython(ready, options);
    const database = await moveRemote(folder, target, ready, { copy, ...written }, options);
    const manifest = toManifest(ready, database, allowed);
    onStep('bundling');
    const bundles = await bundleEntries(target, ready, manifest);
    await writeAll(folder, toBundleFiles(bundles));
    await writeAll(folder, toMaterials(bundles, ready, manifest, options));
    const platform = await toPlatformFiles(target, ready, manifest, options.target);
    await writeAll(folder, (await target.keep?.(platform, out)) ?? platform);
    await writeAll(folder, toServedFiles(ready, manifest));
    // A preview runs a project that protects its data, but leaves nothing to hand out.
    if (lostProtections(ready.callers, ready.catalog, options).length === 0) {
      onStep('finishing the folder');
      await target.finish(folder, await sizedFiles(folder));
    }
    const next = nextOf(target, ready, database);
    return { hash: manifest.hash, files: await sizedFiles(folder), next, ...(loaded ? { loaded } : {}) };
  };
  const built = await replaceFolder(out, write, onUnfinished);
  const callers = toCallersLine(ready.callers, options.target);
  return { out, ...built, callers, ...(warnings.length > 0 ? { warnings } : {}) };
}

/** The command that deploys an artefact. */
function nextOf(target: BuildTarget, { site, python }: Ready, { bytes, remote }: ServedDatabase): string {
  const { next } = target;
  const deploy = (python && target.python.next) ?? (typeof next === 'string' ? next : next(site.project));
  const upload = remote && target.remote?.upload(site.project, { ...remote, bytes });
  return upload ? `${upload} && ${deploy}` : deploy;
}

async function writeEngine(folder: string, { native }: Ready): Promise<void> {
  if (native === null) return copyEngine(folder);
  return writeAll(folder, nativeContents(native));
}

function checkPython({ python }: Ready, options: BuildOptions): readonly Finding[] {
  return python === null ? [] : enforcePythonTarget(python, options);
}

/** An artefact that listens by itself needs a safe address for tokens, unless it only runs on this machine. */
function checkReach({ callers, config }: Ready, { target, local = false }: BuildOptions): readonly Finding[] {
  const isReached = TARGETS[target].callers === 'machine' && !local;
  return isReached && callers.signIn !== null && config !== null ? checkAddress(config) : [];
}

/** Comes after the inspection, so that its report is seen first. */
function refuseUnrunnablePython({ python }: Ready, options: BuildOptions): void {
  if (python !== null && !runsPython(options)) throw noPython(python, options.target);
}

/** Writes files below a folder, and the folders that they need. */
async function writeAll(folder: string, contents: Contents): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Lists all files below a folder with their sizes, sorted by path. */
async function sizedFiles(folder: string): Promise<readonly BuiltFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sized = names.toSorted().map(async (name) => ({
    path: name.slice(folder.length + 1).replaceAll(sep, '/'),
    bytes: (await stat(name)).size,
  }));
  return Promise.all(sized);
}
