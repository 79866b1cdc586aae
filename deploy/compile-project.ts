import { openProjectFiles } from '../adapters/node/project/project-files.ts';
import { checkCatalog } from '../src/catalog/checks/check.ts';
import { compileCatalog } from '../src/catalog/compile.ts';
import type { Catalog } from '../src/catalog/model.ts';
import { SvcError } from '../src/errors.ts';
import type { Finding } from '../src/project/finding.ts';
import { loadProject } from '../src/project/load.ts';
import type { SiteFile } from '../src/project/model.ts';

/** A project without errors, compiled. */
export interface SoundProject {
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
  { incapable = false } = {},
): Promise<SoundProject> {
  const project = await loadProject(await openProjectFiles(root), root, profile);
  refuseBuild(
    [...project.findings, ...(await checkCatalog(project))].filter(({ severity }) => severity === 'error'),
  );
  if (project.site === null) throw new SvcError('project_invalid', 'The project has no valid svc-site.yml.');
  const sound = { site: project.site, catalog: await compileCatalog(project) };
  const [problem] = incapable ? [] : checkCapability(sound);
  if (problem !== undefined) throw problem;
  return sound;
}

/** The parts of a project that no artefact can serve. */
export function checkCapability({ site, catalog }: SoundProject): readonly SvcError[] {
  return [attachProblem(site), extensionsProblem(site), writersProblem(catalog)].filter(
    (problem) => problem !== null,
  );
}

/** Throws project_invalid with the findings, if there are any. */
export function refuseBuild(errors: readonly Finding[]): void {
  if (errors.length === 0) return;
  const lines = errors.map(
    ({ file, line, column, message, fix }) => `${file}:${line}:${column}: ${message} ${fix}`,
  );
  throw new SvcError('project_invalid', lines.join('\n'));
}

/** An artefact's database is a read-only copy, because anything written to it would be lost with the instance. */
function writersProblem({ tools, resources }: Catalog): SvcError | null {
  const entries = [...Object.values(tools), ...Object.values(resources)];
  // what a function does is known when it does it
  const writers = entries.filter(({ source }) => source.language === 'sql' && source.mode === 'write');
  if (writers.length === 0) return null;
  const names = writers.map(({ name }) => name).join(', ');
  return new SvcError(
    'target_unsupported',
    `These endpoints write to the database, but an artefact's database is read-only: ${names}. Serve this project with \`svc serve\`, or set \`enabled: false\` for them.`,
  );
}

/** The engine of artefacts loads no extensions. */
function extensionsProblem({ extensions }: SiteFile): SvcError | null {
  if (extensions.length === 0) return null;
  const names = extensions.map(({ name }) => name).join(', ');
  return new SvcError(
    'target_unsupported',
    `An artefact's engine loads no extensions, and the project names ${names}. Remove them from \`extensions\`, or serve this project with \`svc serve\`.`,
  );
}

/** An artefact's engine attaches no databases. */
function attachProblem({ database: { attach } }: SiteFile): SvcError | null {
  if (attach.length === 0) return null;
  const names = attach.map(({ name }) => name).join(', ');
  return new SvcError(
    'target_unsupported',
    `An artefact's engine attaches no databases, and the profile names ${names} under \`attach\`. Remove them, or serve this project with \`svc serve\`.`,
  );
}
