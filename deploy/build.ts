import { createHash } from 'node:crypto';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { auditSettingsOf } from '../adapters/artefact/audit.ts';
import { pythonFilesOf } from '../adapters/python/pool/warm.ts';
import type { Manifest } from '../src/catalog/manifest.ts';
import type { AnyEntry, Catalog } from '../src/catalog/model.ts';
import type { Database } from '../src/ports.ts';
import type { Finding } from '../src/project/finding.ts';
import type { SiteFile } from '../src/project/site-model.ts';
import type { Allowed } from '../src/quality/gate/report.ts';
import { VERSION } from '../src/version.ts';
import { type Bundled, bundle, type Included } from './bundle.ts';
import { configNeedsSignIn, namesTelemetry, readConfig } from './bundled-user-file.ts';
import { compileProject } from './compile-project.ts';
import { type CopiedDatabase, copyDatabase, loadDatabase } from './database.ts';
import { copyEngine, engineFolder } from './engine-files.ts';
import type { LoadedTable, LoadOptions } from './load-tables.ts';
import { type CarriedPython, readPython } from './python/carried-python.ts';
import { enforcePythonTarget, noPython } from './python/check.ts';
import { pyodidePackage, pythonHash } from './python/pyodide-files.ts';
import { replaceFolder } from './replace-folder.ts';
import { materialFiles } from './sbom/files.ts';
import { enforceStatements, withCopy } from './statements.ts';
import { type BuildTarget, type BuiltFile, CONFIG_FILE, type Contents } from './targets/target.ts';
import { runsPython, TARGETS, type TargetName } from './targets/targets.ts';

/** The project to build, the platform, and the choices of the person who builds. */
export interface BuildOptions {
  /** The project's folder. */
  readonly root: string;
  readonly target: TargetName;
  /** Default: `build/<target>` in the project. */
  readonly out?: string;
  readonly profile?: string;
  /** A user file to put into the artefact; it may hold references, but no secrets. Default: none. */
  readonly config?: string;
  /** Files that become tables of the artefact's database; the project's own database does not change. */
  readonly load?: LoadOptions;
  /** Whether to build Python endpoints for a platform that runs them only as an experiment. */
  readonly experimentalPython?: boolean;
  /** Whether to continue if the project needs something that no artefact can do. */
  readonly incapable?: boolean;
  /**
   * Checks the database as the artefact will serve it, and returns the failed checks that were allowed. Throws if a
   * check forbids the build. Default: plan every statement.
   */
  readonly inspect?: (database: Database) => Promise<readonly Allowed[]>;
}

/** A finished artefact: plain JSON. */
export type BuildResult = {
  readonly out: string;
  readonly files: readonly BuiltFile[];
  /** The content hash that the server shows. */
  readonly hash: string;
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
  readonly python: CarriedPython | null;
}

/**
 * Writes a folder that serves the project by itself. The same project gives the same bytes. The folder is replaced only
 * after the last step; if a step throws, the older folder stays.
 */
export async function buildTarget(options: BuildOptions): Promise<BuildResult> {
  const { target } = await TARGETS[options.target].load();
  const ready = await readProject(options);
  const warnings = checkPython(ready, options);
  const out = resolve(options.root, options.out ?? join('build', options.target));
  const built = await replaceFolder(out, async (folder) => {
    const { database, loaded } = await writeDatabase(join(folder, target.database), ready, options);
    const allowed = await inspectDatabase(join(folder, target.database), database, ready, options);
    refuseUnrunnablePython(ready, options);
    const manifest = toManifest(ready, database, allowed);
    await copyEngine(folder);
    const bundles = await bundleEntries(target, ready, manifest);
    await writeAll(folder, toBundleFiles(bundles));
    await writeAll(folder, toMaterials(bundles, ready, manifest, options));
    await writeAll(folder, await toPlatformFiles(target, ready, manifest));
    await writeAll(folder, toServedFiles(ready, manifest));
    await target.finish(folder, await listFiles(folder));
    return { hash: manifest.hash, files: await listFiles(folder), ...(loaded ? { loaded } : {}) };
  });
  const next = (ready.python && target.python.next) ?? target.next;
  return { out, ...built, next, ...(warnings.length > 0 ? { warnings } : {}) };
}

async function readProject(options: BuildOptions): Promise<Ready> {
  const { site, catalog } = await compileProject(options.root, options.profile, options);
  const config = await readConfig(options.config, options.root);
  const python = await readPython(options.root, pythonFilesOf(catalog), site.paths.python);
  return { site, catalog, config, python };
}

function checkPython({ python }: Ready, options: BuildOptions): readonly Finding[] {
  return python === null ? [] : enforcePythonTarget(python, options);
}

async function writeDatabase(
  copy: string,
  { site }: Ready,
  { root, load }: BuildOptions,
): Promise<{ readonly database: CopiedDatabase; readonly loaded?: readonly LoadedTable[] }> {
  const source = resolve(root, process.env.SVC_DATABASE_PATH || site.database.path);
  return load ? loadDatabase(source, copy, load) : { database: await copyDatabase(source, copy) };
}

function inspectDatabase(
  copy: string,
  { name }: CopiedDatabase,
  { catalog }: Ready,
  { inspect = (served) => enforceStatements(served, catalog) }: BuildOptions,
): Promise<readonly Allowed[]> {
  return withCopy(copy, name, inspect);
}

/** Comes after the inspection, so that its report is seen first. */
function refuseUnrunnablePython({ python }: Ready, options: BuildOptions): void {
  if (python !== null && !runsPython(options)) throw noPython(python, options.target);
}

function toManifest(
  { site, catalog, config, python }: Ready,
  database: CopiedDatabase,
  allowed: readonly Allowed[],
): Manifest {
  const { profile, secrets } = site;
  const audit = auditSettingsOf(site.audit, process.env);
  const parts = [
    catalog.hash,
    database.sha256,
    JSON.stringify([database.name, profile, secrets, audit, config]),
    ...(allowed.length === 0 ? [] : [JSON.stringify(allowed)]),
    ...(python === null ? [] : [pythonHash(python)]),
  ];
  const hash = createHash('sha256').update(parts.join(' ')).digest('hex');
  const manifest = {
    svc: 1,
    version: VERSION,
    hash,
    database,
    profile,
    secrets,
    audit,
    catalog,
    ...(allowed.length === 0 ? {} : { allowed }),
  } as const;
  return python === null ? manifest : { ...manifest, python: { folder: python.folder } };
}

type Bundles = ReadonlyMap<string, Bundled>;

async function bundleEntries(target: BuildTarget, ready: Ready, manifest: Manifest): Promise<Bundles> {
  const included = partsOf(ready, manifest);
  const entries = { ...target.bundles, ...(ready.python === null ? {} : target.python.bundles) };
  const made = Object.entries(entries).map(
    async ([path, entry]) => [path, await bundle(entry, target.runtime, included)] as const,
  );
  return new Map(await Promise.all(made));
}

/** The optional parts of the runtime that this project can come to need. */
function partsOf({ catalog, config, python }: Ready, { secrets, audit }: Manifest): Included {
  const entries = [catalog.tools, catalog.resources, catalog.prompts].flatMap((kind) =>
    Object.values<AnyEntry>(kind),
  );
  const ruled = entries.some(({ policies: { input, output } }) => input.length + output.length > 0);
  const conditional = entries.some(({ ask = [] }) => ask.flat().some(({ when }) => when !== undefined));
  const asking = entries.some(({ confirm, ask }) => confirm !== undefined || ask !== undefined);
  return {
    config: config !== null,
    settings: config !== null || secrets.length > 0,
    audit: audit.enabled,
    auth: config !== null && configNeedsSignIn(config),
    telemetry: config !== null && namesTelemetry(config),
    policies: ruled || conditional,
    prompts: asking || Object.keys(catalog.prompts).length > 0,
    python: python !== null,
  };
}

function toBundleFiles(bundles: Bundles): Contents {
  return Object.fromEntries([...bundles].map(([path, { code }]) => [path, code]));
}

function toMaterials(
  bundles: Bundles,
  { catalog: { project }, python }: Ready,
  { hash, version }: Manifest,
  { target }: BuildOptions,
): Contents {
  const metafiles = [...bundles.values()].map(({ metafile }) => metafile);
  const copied = python === null ? [] : [pyodidePackage()];
  return materialFiles({ project, target, hash, version }, metafiles, engineFolder(), copied);
}

async function toPlatformFiles(
  target: BuildTarget,
  { catalog: { project }, config, python }: Ready,
  { version }: Manifest,
): Promise<Contents> {
  const facts = { project, version, config: config !== null, python: python !== null };
  return {
    ...target.files(facts),
    ...(python === null ? {} : await target.python.files(python, facts)),
  };
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
