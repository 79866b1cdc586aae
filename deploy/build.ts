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
import { bundle, type Included } from './bundle.ts';
import { configNeedsSignIn, namesTelemetry, readConfig } from './config.ts';
import { type CopiedDatabase, copyDatabase, loadDatabase } from './database.ts';
import { copyEngine, engineFolder } from './engine.ts';
import { replaceFolder } from './folder.ts';
import { compileProject } from './gate.ts';
import type { LoadedTable, LoadOptions } from './load.ts';
import { enforceStatements, withCopy } from './probe.ts';
import { pyodidePackage, pythonFiles, pythonHash } from './python/artefact.ts';
import { enforcePythonTarget, noPython } from './python/gate.ts';
import { type CarriedPython, readPython } from './python/project.ts';
import { pythonWorkerFiles } from './python/worker.ts';
import { materialFiles } from './sbom/files.ts';
import { type BuiltFile, CONFIG_FILE, type Target, type TargetName } from './target.ts';
import { awsLambdaTarget } from './targets/aws-lambda.ts';
import { cloudflareWorkersTarget, workersWithPython } from './targets/cloudflare-workers.ts';
import { nodeTarget } from './targets/node.ts';

/** What to build, from where, and where to. */
export interface BuildOptions {
  /** The project's folder. */
  readonly root: string;
  readonly target: TargetName;
  /** Default: `build/<target>` in the project. */
  readonly out?: string;
  readonly profile?: string;
  /** A user file that holds references only, to go into the artefact. Default: none goes in. */
  readonly config?: string;
  /** Files that become tables of the database in the artefact; the project's own is left alone. */
  readonly load?: LoadOptions;
  /** Whether Python endpoints go to a second Worker on Cloudflare. */
  readonly experimentalPython?: boolean;
  /** Whether what no artefact can do is built all the same. */
  readonly incapable?: boolean;
  /** Looks at the database as the artefact will serve it, throws where it must not, and answers what was let pass; by default statements are planned. */
  readonly inspect?: (database: Database) => Promise<readonly Allowed[]>;
}

/** What was built: plain JSON. */
export type BuildResult = {
  readonly out: string;
  readonly files: readonly BuiltFile[];
  /** The content hash that the server shows. */
  readonly hash: string;
  /** The command that deploys it. */
  readonly next: string;
  /** The tables that were filled from files. */
  readonly loaded?: readonly LoadedTable[];
  /** What may not work there. */
  readonly warnings?: readonly { readonly [key in keyof Finding]: Finding[key] }[];
};

const TARGETS: { readonly [name in TargetName]: Target } = {
  node: nodeTarget,
  'aws-lambda': awsLambdaTarget,
  'cloudflare-workers': cloudflareWorkersTarget,
};

/** Whether artefacts of a platform can have Python endpoints. */
export function runsPython(asked: Pick<BuildOptions, 'target' | 'experimentalPython'>): boolean {
  return targetOf(asked).pythonBundles !== null;
}

function targetOf({
  target,
  experimentalPython = false,
}: Pick<BuildOptions, 'target' | 'experimentalPython'>): Target {
  return experimentalPython && target === 'cloudflare-workers' ? workersWithPython : TARGETS[target];
}

/** Writes a folder that serves the project by itself; the same project gives the same bytes. */
export async function buildTarget(options: BuildOptions): Promise<BuildResult> {
  const target = targetOf(options);
  const { site, catalog } = await compileProject(options.root, options.profile, options);
  const config = await readConfig(options.config, options.root);
  const python = await readPython(options.root, pythonFilesOf(catalog), site.paths.python);
  const warnings = python === null ? [] : enforcePythonTarget(python, options.target, target, options);
  const database = resolve(options.root, process.env.SVC_DATABASE_PATH || site.database.path);
  const out = resolve(options.root, options.out ?? join('build', options.target));
  const built = await replaceFolder(out, async (folder) => {
    const copy = join(folder, target.database);
    const { load } = options;
    const { loaded, ...filled } = load
      ? await loadDatabase(database, copy, load)
      : { database: await copyDatabase(database, copy), loaded: undefined };
    const { inspect = (served: Database) => enforceStatements(served, catalog) } = options;
    const allowed = await withCopy(copy, filled.database.name, inspect);
    if (python !== null && target.pythonBundles === null) throw noPython(python, options.target);
    const manifest = toManifest({ site, catalog, config, python }, filled.database, allowed);
    await copyEngine(folder);
    await writeAll(folder, await toFiles(options.target, target, manifest, { config, python }));
    await target.finish(folder, await listFiles(folder));
    return { hash: manifest.hash, files: await listFiles(folder), ...(loaded ? { loaded } : {}) };
  });
  return { out, ...built, next: target.next, ...(warnings.length > 0 ? { warnings } : {}) };
}

interface Served {
  readonly site: SiteFile;
  readonly catalog: Catalog;
  readonly config: string | null;
  readonly python: CarriedPython | null;
}

function toManifest(
  { site, catalog, config, python }: Served,
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

type Contents = { readonly [path: string]: string | Uint8Array };

async function toFiles(
  name: TargetName,
  target: Target,
  manifest: Manifest,
  { config, python }: Pick<Served, 'config' | 'python'>,
): Promise<Contents> {
  const has = config !== null;
  const included = {
    config: has,
    settings: has || manifest.secrets.length > 0,
    audit: manifest.audit.enabled,
    auth: has && configNeedsSignIn(config),
    telemetry: has && namesTelemetry(config),
    ...partsOf(manifest.catalog),
    python: python !== null,
  };
  const entries = Object.entries({ ...target.bundles, ...(python === null ? {} : target.pythonBundles) });
  const bundles = await Promise.all(entries.map(([, entry]) => bundle(entry, target.runtime, included)));
  const { hash, version } = manifest;
  const facts = { project: manifest.catalog.project, version, config: has, python: python !== null };
  const artefact = { project: manifest.catalog.project, target: name, hash, version };
  return {
    ...Object.fromEntries(entries.map(([path], at) => [path, bundles[at]?.code ?? ''])),
    ...materialFiles(
      artefact,
      bundles.map(({ metafile }) => metafile),
      engineFolder(),
      python === null ? [] : [pyodidePackage()],
    ),
    ...target.files(facts),
    ...(python === null
      ? {}
      : await (target === workersWithPython ? pythonWorkerFiles : pythonFiles)(python, facts)),
    'manifest.json': `${JSON.stringify(manifest)}\n`,
    ...(has ? { [CONFIG_FILE]: config } : {}),
  };
}

/** What the endpoints of a project can come to need. */
function partsOf({ tools, resources, prompts }: Catalog): Pick<Included, 'policies' | 'prompts'> {
  const entries = [tools, resources, prompts].flatMap((kind) => Object.values<AnyEntry>(kind));
  const ruled = entries.some(({ policies: { input, output } }) => input.length + output.length > 0);
  const conditional = entries.some(({ ask = [] }) => ask.flat().some(({ when }) => when !== undefined));
  const asking = entries.some(({ confirm, ask }) => confirm !== undefined || ask !== undefined);
  return { policies: ruled || conditional, prompts: asking || Object.keys(prompts).length > 0 };
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
