import { isAbsolute } from 'node:path';
import { openProjectFiles } from '../adapters/node/project/project-files.ts';
import { checkCatalog } from '../src/catalog/checks/check.ts';
import { compileCatalog } from '../src/catalog/compile.ts';
import type { Catalog } from '../src/catalog/model.ts';
import { SvcError } from '../src/errors.ts';
import { isRemote, MEMORY_PATH, parseAttachmentUri } from '../src/project/attachment.ts';
import type { Finding } from '../src/project/finding.ts';
import { loadProject } from '../src/project/load.ts';
import type { SiteFile } from '../src/project/model.ts';
import type { EngineName } from './targets/targets.ts';

/** A project without errors, compiled. */
interface SoundProject {
  readonly site: SiteFile;
  readonly catalog: Catalog;
}

/**
 * Loads, checks and compiles the project. Throws project_invalid for errors, and target_unsupported for a project
 * that no artefact can serve, unless `incapable` is set.
 */
export async function compileProject(
  root: string,
  profile: string | undefined,
  { incapable = false, engine = 'wasm' }: { readonly incapable?: boolean; readonly engine?: EngineName } = {},
): Promise<SoundProject> {
  const project = await loadProject(await openProjectFiles(root), root, profile);
  refuseBuild(
    [...project.findings, ...(await checkCatalog(project))].filter(({ severity }) => severity === 'error'),
  );
  if (project.site === null) throw new SvcError('project_invalid', 'The project has no valid svc-site.yml.');
  const sound = { site: project.site, catalog: await compileCatalog(project) };
  const [problem] = incapable ? [] : checkCapability(sound, engine);
  if (problem !== undefined) throw problem;
  return sound;
}

/** The parts of a project that no artefact with the engine can serve. */
export function checkCapability(project: SoundProject, engine: EngineName): readonly SvcError[] {
  const { site } = project;
  const problems =
    engine === 'wasm'
      ? [remoteProblem(site), attachProblem(site), extensionsProblem(site), writersProblem(project)]
      : [localProblem(site), isAttachedOnly(site) ? null : writersProblem(project)];
  return problems.filter((problem) => problem !== null);
}

/** Throws project_invalid with the findings, if there are any. */
export function refuseBuild(errors: readonly Finding[]): void {
  if (errors.length === 0) return;
  const lines = errors.map(
    ({ file, line, column, message, fix }) => `${file}:${line}:${column}: ${message} ${fix}`,
  );
  throw new SvcError('project_invalid', lines.join('\n'));
}

/** The fix for parts that only the native engine has. */
const NATIVE = 'build with `--engine native` for node or aws-lambda';

/** An artefact's database is a read-only copy, because anything written to it would be lost with the instance. */
function writersProblem({ catalog: { tools, resources } }: SoundProject): SvcError | null {
  const entries = [...Object.values(tools), ...Object.values(resources)];
  // whether a Python function writes is known only when it runs
  const writers = entries.filter(({ source }) => source.language === 'sql' && source.mode === 'write');
  if (writers.length === 0) return null;
  const names = writers.map(({ name }) => name).join(', ');
  return new SvcError(
    'target_unsupported',
    `These endpoints write to the database, but an artefact's database is read-only: ${names}. Serve this project with \`svc serve\`, or set \`enabled: false\` for them.`,
  );
}

/** Whether all data is in attached databases, which an artefact can write to. */
function isAttachedOnly({ database: { path, attach } }: SiteFile): boolean {
  return path === MEMORY_PATH && attach.every(({ readonly }) => readonly === false);
}

/** The wasm engine loads no extensions. */
function extensionsProblem({ extensions }: SiteFile): SvcError | null {
  if (extensions.length === 0) return null;
  const names = extensions.map(({ name }) => name).join(', ');
  return new SvcError(
    'target_unsupported',
    `An artefact with the wasm engine loads no extensions, and the project names ${names}. Remove them from \`extensions\`, or ${NATIVE}.`,
  );
}

/** The wasm engine attaches no databases. */
function attachProblem({ database: { attach } }: SiteFile): SvcError | null {
  if (attach.length === 0) return null;
  const names = attach.map(({ name }) => name).join(', ');
  return new SvcError(
    'target_unsupported',
    `An artefact with the wasm engine attaches no databases, and the profile names ${names} under \`attach\`. Remove them, or ${NATIVE}.`,
  );
}

/** The wasm engine reads the file of the artefact alone. */
function remoteProblem({ database: { path } }: SiteFile): SvcError | null {
  if (!isRemote(path)) return null;
  return new SvcError(
    'target_unsupported',
    `An artefact with the wasm engine reads no remote database, and \`database.path\` is ${path}. Name a file of this machine, or ${NATIVE}.`,
  );
}

/** Throws if the data is nowhere on this machine, so that an artefact with the wasm engine cannot have a copy of it. */
export function refuseElsewhere(site: SiteFile): void {
  const problem = remoteProblem(site) ?? (site.database.path === MEMORY_PATH ? attachProblem(site) : null);
  if (problem !== null && !process.env.SVC_DATABASE_PATH) throw problem;
}

/** An artefact has no attached files, and no folder of the project. */
function localProblem({ database: { attach } }: SiteFile): SvcError | null {
  const local = attach.filter(({ uri, data_path = '/' }) =>
    [parseAttachmentUri(uri).file ?? '/', data_path].some((path) => !isAbsolute(path) && !isRemote(path)),
  );
  if (local.length === 0) return null;
  const names = local.map(({ name }) => name).join(', ');
  return new SvcError(
    'target_unsupported',
    `These databases under \`attach\` are files of the project, which an artefact does not contain: ${names}. Give an address or an absolute path that exists where the artefact runs, or load their tables into \`database.path\`.`,
  );
}
