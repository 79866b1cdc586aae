import { createHash } from 'node:crypto';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { auditSettingsOf } from '../adapters/artefact/audit.ts';
import type { DatabaseSecret } from '../adapters/duckdb-native/options.ts';
import { pythonFilesOf } from '../adapters/python/pool/warm.ts';
import type { Manifest } from '../src/catalog/manifest.ts';
import type { AnyEntry, Catalog } from '../src/catalog/model.ts';
import { SvcError } from '../src/errors.ts';
import type { Database } from '../src/ports.ts';
import { MEMORY_PATH } from '../src/project/attachment.ts';
import type { Finding } from '../src/project/finding.ts';
import type { SiteFile } from '../src/project/site-model.ts';
import type { Allowed } from '../src/quality/gate/report.ts';
import type { Callers } from '../src/settings/sign-in.ts';
import { VERSION } from '../src/version.ts';
import { type Bundled, bundle, type Included, loadBundler } from './bundle.ts';
import { callersOf, configNeedsSignIn, namesTelemetry, readConfig } from './bundled-user-file.ts';
import { type CallerOptions, combineCallers, enforceCallers, toCallersLine } from './callers.ts';
import { compileProject, refuseElsewhere } from './compile-project.ts';
import { type CopiedDatabase, copyDatabase, loadDatabase, sortDatabase } from './database.ts';
import { copyEngine, engineFolder } from './engine-files.ts';
import type { LoadedTable, LoadOptions } from './load-tables.ts';
import { type Architecture, thisArchitecture } from './native/architecture.ts';
import {
  driverMaterial,
  loadNativeParts,
  type NativeParts,
  nativeContents,
  nativeHash,
  refuseLoad,
} from './native/native-parts.ts';
import { type ProjectPackage, readProjectPackage } from './project-package.ts';
import { type CarriedPython, readPython } from './python/carried-python.ts';
import { enforcePythonTarget, noPython } from './python/check.ts';
import { pyodidePackage, pythonHash } from './python/pyodide-files.ts';
import { describeRemote } from './remote-database.ts';
import { replaceFolder } from './replace-folder.ts';
import { materialFiles } from './sbom/files.ts';
import { nothingToSort, type SortedTable } from './sort-tables.ts';
import { enforceStatements, withCopy, withNative } from './statements.ts';
import { chooseStore, placeDatabase } from './store.ts';
import {
  type BuildTarget,
  type BuiltFile,
  CONFIG_FILE,
  type Contents,
  ENGINE_PROCESS,
  type NativeFacts,
} from './targets/target.ts';
import {
  type EngineName,
  runsPython,
  TARGET_NAMES,
  TARGETS,
  type TargetName,
  toChoice,
} from './targets/targets.ts';

/** The project to build, the platform, and the choices of the person who builds. */
export interface BuildOptions extends CallerOptions {
  /** The project's folder. */
  readonly root: string;
  /** Default: `build/<target>` in the project. */
  readonly out?: string;
  readonly profile?: string;
  /** The engine of the artefact. Default: wasm. */
  readonly engine?: EngineName;
  /** The processor of a native artefact. Default: the target's own. */
  readonly arch?: Architecture;
  /** The place of a database that is read by ranges, as in the manifest. Default: the platform's, if it is large. */
  readonly store?: string;
  /** The secrets of the profile, with which the build opens remote data. */
  readonly secrets?: readonly DatabaseSecret[];
  /** A user file to put into the artefact; it may hold references, but no secrets. Default: none. */
  readonly config?: string;
  /** Files that become tables of the artefact's database; the project's own database does not change. */
  readonly load?: LoadOptions;
  /** Tables to write in another order; the project's own database does not change. */
  readonly sort?: readonly SortedTable[];
  /** Whether to build Python endpoints for a platform that runs them only as an experiment. */
  readonly experimentalPython?: boolean;
  /** Whether to continue if the project needs something that no artefact can do. */
  readonly incapable?: boolean;
  /**
   * Checks the database as the artefact will serve it, and returns the failed checks that were allowed. Throws if a
   * check forbids the build. Default: plan every statement.
   */
  readonly inspect?: (database: Database) => Promise<readonly Allowed[]>;
  /** Receives the name of each step before it begins. */
  readonly onStep?: (step: string) => void;
}

/** A finished artefact: plain JSON. */
export type BuildResult = {
  readonly out: string;
  readonly files: readonly BuiltFile[];
  /** The content hash that the server shows. */
  readonly hash: string;
  /** The callers in one line. */
  readonly callers: string;
  /** The command that deploys it. */
  readonly next: string;
  /** The tables that were filled from files. */
  readonly loaded?: readonly LoadedTable[];
  /** Parts of the project that may not work on the platform. */
  readonly warnings?: readonly { readonly [key in keyof Finding]: Finding[key] }[];
};

/** A project that was checked and read, ready to be written for a platform. */
interface Ready {
  readonly site: SiteFile;
  readonly catalog: Catalog;
  readonly config: string | null;
  readonly callers: Callers;
  readonly about: ProjectPackage;
  readonly python: CarriedPython | null;
  /** Null for the wasm engine. */
  readonly native: NativeParts | null;
}

/**
 * Writes a folder that serves the project by itself. The same project gives the same bytes. The folder is replaced only
 * after the last step; if a step throws, the older folder stays.
 */
export async function buildTarget(options: BuildOptions): Promise<BuildResult> {
  // Asked for before the long steps.
  await loadBundler();
  const { onStep = () => {} } = options;
  onStep('reading the project');
  const { target } = await TARGETS[options.target].load();
  const ready = await readProject(options);
  const warnings = checkPython(ready, options);
  const out = resolve(options.root, options.out ?? join('build', options.target));
  const built = await replaceFolder(out, async (folder) => {
    onStep('copying the engine');
    await writeEngine(folder, ready);
    onStep('copying the database');
    const { copy, loaded, ...written } = await writeDatabase(folder, target, ready, options);
    onStep('checking statements and tests');
    const allowed = await inspectDatabase({ folder, copy, name: written.database.name }, ready, options);
    refuseUnrunnablePython(ready, options);
    const database = await moveRemote(folder, target, ready, { copy, ...written }, options);
    const manifest = toManifest(ready, database, allowed);
    onStep('bundling');
    const bundles = await bundleEntries(target, ready, manifest);
    await writeAll(folder, toBundleFiles(bundles));
    await writeAll(folder, toMaterials(bundles, ready, manifest, options));
    await writeAll(folder, await toPlatformFiles(target, ready, manifest, options.target));
    await writeAll(folder, toServedFiles(ready, manifest));
    onStep('finishing the folder');
    await target.finish(folder, await listFiles(folder));
    const next = nextOf(target, ready, database);
    return { hash: manifest.hash, files: await listFiles(folder), next, ...(loaded ? { loaded } : {}) };
  });
  const callers = toCallersLine(ready.callers, options.target);
  return { out, ...built, callers, ...(warnings.length > 0 ? { warnings } : {}) };
}

/** The command that deploys an artefact. */
function nextOf(target: BuildTarget, { site, python }: Ready, { bytes, remote }: ServedDatabase): string {
  const deploy = (python && target.python.next) ?? target.next;
  const upload = remote && target.remote?.upload(site.project, { ...remote, bytes });
  return upload ? `${upload} && ${deploy}` : deploy;
}

/** The database as the manifest has it. */
type ServedDatabase = Manifest['database'];

/** Moves a database that is read by ranges to its place in the artefact. */
async function moveRemote(
  folder: string,
  target: BuildTarget,
  { site: { project }, native }: Ready,
  { copy, database }: WrittenDatabase,
  { store: asked }: BuildOptions,
): Promise<ServedDatabase> {
  const store = chooseStore(target, { asked, bytes: database.bytes, native: native !== null });
  if (store === null) return database;
  const remote = await describeRemote(copy, database, { project, store });
  await placeDatabase(copy, folder, store);
  return { ...database, remote };
}

async function readProject(options: BuildOptions): Promise<Ready> {
  const arch = architectureOf(options);
  const { site, catalog } = await compileProject(options.root, options.profile, options);
  if (site.database.path === MEMORY_PATH && (options.sort ?? []).length > 0) throw nothingToSort();
  const config = await readConfig(options.config, options.root);
  const { project, profile } = site;
  const callers = combineCallers(callersOf(config, { project, profile }), options);
  enforceCallers(callers, catalog, options);
  const about = await readProjectPackage(options.root);
  const python = await readPython(options.root, pythonFilesOf(catalog), site.paths.python);
  const native = arch === null ? null : await loadNativeParts(options.root, site, arch);
  if (native !== null && options.load) refuseLoad(native);
  return { site, catalog, config, callers, about, python, native };
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

async function writeEngine(folder: string, { native }: Ready): Promise<void> {
  if (native === null) return copyEngine(folder);
  return writeAll(folder, nativeContents(native));
}

function checkPython({ python }: Ready, options: BuildOptions): readonly Finding[] {
  return python === null ? [] : enforcePythonTarget(python, options);
}

/** The database of an artefact; `copy` is the path of its file, or `:memory:`. */
interface WrittenDatabase {
  readonly copy: string;
  readonly database: CopiedDatabase;
  readonly loaded?: readonly LoadedTable[];
}

async function writeDatabase(
  folder: string,
  target: BuildTarget,
  { site, native }: Ready,
  { root, load, sort = [] }: BuildOptions,
): Promise<WrittenDatabase> {
  const source = native?.choice.path ?? resolve(root, process.env.SVC_DATABASE_PATH || site.database.path);
  if (native === null) refuseElsewhere(site);
  if (source === MEMORY_PATH) return { copy: source, database: NO_FILE };
  // The native engine names a database like its file, and views refer to that name.
  const copy = join(folder, native === null ? target.database : join('database', basename(source)));
  const written = load
    ? await loadDatabase(source, copy, load)
    : { database: await copyDatabase(source, copy) };
  const sorted = sort.length === 0 ? {} : { database: await sortDatabase(source, copy, sort) };
  return { copy, ...written, ...sorted };
}

/** All data of the artefact is in attached databases. */
const NO_FILE: CopiedDatabase = {
  name: MEMORY_PATH,
  bytes: 0,
  sha256: createHash('sha256').digest('hex'),
};

function inspectDatabase(
  { folder, copy, name }: { readonly folder: string; readonly copy: string; readonly name: string },
  { catalog, native }: Ready,
  { inspect = (served) => enforceStatements(served, catalog), secrets = [] }: BuildOptions,
): Promise<readonly Allowed[]> {
  if (native === null) return withCopy(copy, name, inspect);
  return withNative({ native, folder, path: copy, secrets }, inspect);
}

/** Comes after the inspection, so that its report is seen first. */
function refuseUnrunnablePython({ python }: Ready, options: BuildOptions): void {
  if (python !== null && !runsPython(options)) throw noPython(python, options.target);
}

function toManifest(
  { site, catalog, config, callers, python, native }: Ready,
  database: ServedDatabase,
  allowed: readonly Allowed[],
): Manifest {
  const { profile } = site;
  const secrets = secretsOf(site);
  const audit = auditSettingsOf(site.audit, process.env);
  const parts = [
    catalog.hash,
    database.sha256,
    JSON.stringify([database.name, profile, secrets, audit, config, callers]),
    ...(allowed.length === 0 ? [] : [JSON.stringify(allowed)]),
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
    ...(native === null ? {} : { native: native.manifest }),
  } as const;
  return python === null ? manifest : { ...manifest, python: { folder: python.folder } };
}

/** The secrets that the project names, also those of its attached databases. */
function secretsOf({ secrets, database: { attach } }: SiteFile): readonly string[] {
  return [...new Set([...secrets, ...attach.flatMap(({ secret }) => secret ?? [])])];
}

type Bundles = ReadonlyMap<string, Bundled>;

/** The process that runs callers' statements; `process/open.ts` expects it beside the program. */
const ENGINE_ENTRY = 'duckdb-native/process/engine-process';

async function bundleEntries(target: BuildTarget, ready: Ready, manifest: Manifest): Promise<Bundles> {
  const included = partsOf(ready, manifest);
  const bundles = ready.native === null ? target.bundles : target.nativeBundles;
  const isolated = ready.native?.manifest.isolated === undefined ? {} : { [ENGINE_PROCESS]: ENGINE_ENTRY };
  const entries = { ...bundles, ...isolated, ...(ready.python === null ? {} : target.python.bundles) };
  const made = Object.entries(entries).map(
    async ([path, entry]) => [path, await bundle(entry, target.runtime, included)] as const,
  );
  return new Map(await Promise.all(made));
}

/** The optional parts of the runtime that this project can come to need. */
function partsOf(
  { catalog, config, python, native }: Ready,
  { secrets, audit, database }: Manifest,
): Included {
  const entries = [catalog.tools, catalog.resources, catalog.prompts].flatMap((kind) =>
    Object.values<AnyEntry>(kind),
  );
  const ruled = entries.some(({ policies: { input, output } }) => input.length + output.length > 0);
  const conditional = entries.some(({ ask = [] }) => ask.flat().some(({ when }) => when !== undefined));
  const restricted = Object.values(catalog.tools).some(
    ({ source }) => source.language === 'sql' && source.tables !== undefined,
  );
  const asking = entries.some(({ confirm, ask }) => confirm !== undefined || ask !== undefined);
  return {
    config: config !== null,
    // The secrets of a remote database need not be named in the site file.
    settings: config !== null || secrets.length > 0 || native !== null,
    audit: audit.enabled,
    auth: config !== null && configNeedsSignIn(config),
    telemetry: config !== null && namesTelemetry(config),
    policies: ruled || conditional || restricted,
    prompts: asking || Object.keys(catalog.prompts).length > 0,
    python: python !== null,
    native: native !== null,
    remote: database.remote !== undefined,
  };
}

function toBundleFiles(bundles: Bundles): Contents {
  return Object.fromEntries([...bundles].map(([path, { code }]) => [path, code]));
}

function toMaterials(
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

async function toPlatformFiles(
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

function noNative(target: TargetName): SvcError {
  const able = TARGET_NAMES.filter((name) => TARGETS[name].architecture !== null);
  return new SvcError(
    'target_unsupported',
    `\`svc build\` makes no artefact with the native engine for ${TARGETS[target].title}. Choose ${toChoice(able)} with --target, or leave --engine out.`,
  );
}

function toServedFiles({ config }: Ready, manifest: Manifest): Contents {
  return {
    'manifest.json': `${JSON.stringify(manifest)}\n`,
    ...(config === null ? {} : { [CONFIG_FILE]: config }),
  };
}

async function writeAll(folder: string, contents: Contents): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

async function listFiles(folder: string): Promise<readonly BuiltFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sized = names.toSorted().map(async (name) => ({
    path: name.slice(folder.length + 1).replaceAll(sep, '/'),
    bytes: (await stat(name)).size,
  }));
  return Promise.all(sized);
}
