import { chooseDatabase, type DatabaseChoice } from '../../adapters/node/database/database-choice.ts';
import { findProjectRoot, openProjectFiles } from '../../adapters/node/project/project-files.ts';
import { checkCatalog } from '../../src/catalog/checks/check.ts';
import { SvcError } from '../../src/errors.ts';
import type { Files } from '../../src/ports.ts';
import { type Finding, preventsServing } from '../../src/project/finding.ts';
import { loadProject } from '../../src/project/load.ts';
import type { Project, Site, SiteFile } from '../../src/project/model.ts';
import { loadSite } from '../../src/project/site.ts';
import type { CommandInput } from '../command.ts';
import { toFindingsError } from '../io/findings.ts';

/** A loaded project with the findings of every check. */
export interface CheckedProject {
  readonly project: Project;
  readonly findings: readonly Finding[];
}

/** Loads and checks the project around the current folder, with the profile of the command line. */
export async function checkProject(
  input: CommandInput,
  through: (files: Files, root: string) => Files = (files) => files,
): Promise<CheckedProject> {
  const root = await findProjectRoot(process.cwd());
  if (root === null) throw noProject();
  const files = through(await openProjectFiles(root), root);
  const project = await loadProject(files, root, profileOf(input));
  return { project, findings: [...project.findings, ...(await checkCatalog(project))] };
}

/**
 * Loads only the site file, for commands that need no endpoint. It stays fast with many endpoints, and their errors
 * do not matter.
 */
export async function checkSite(input: CommandInput): Promise<CheckedProject> {
  const root = await findProjectRoot(process.cwd());
  if (root === null) throw noProject();
  const { site, positions, findings } = await loadSite(await openProjectFiles(root), profileOf(input));
  return { project: { root, site, sitePositions: positions, endpoints: [], findings }, findings };
}

/** The profile of the command line or of SVC_PROFILE. */
export function profileOf(input: CommandInput): string | undefined {
  return input.text('profile') ?? (process.env.SVC_PROFILE || undefined);
}

/** The settings of the site file. Throws if they are not valid. */
export function siteOf({ project, findings }: CheckedProject): Site {
  if (project.site) return project.site;
  throw toFindingsError(findings.filter(({ severity }) => severity === 'error'));
}

/** The whole site file. Throws if it is not valid. */
export function siteFileOf(checked: CheckedProject): SiteFile {
  siteOf(checked);
  const { site } = checked.project;
  if (site) return site;
  throw new SvcError('internal', 'a project without a site file passed its checks');
}

/** Throws if the project has any error. */
export function refuseErrors({ findings }: CheckedProject): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw toFindingsError(errors);
}

/** The project without the endpoints that have errors, because one broken file must not stop the others. */
export function soundPart({ project, findings }: CheckedProject): Project {
  const broken = new Set(findings.filter(preventsServing).map(({ file }) => file));
  const endpoints = project.endpoints.filter(({ file }) => !broken.has(file));
  return { ...project, endpoints, findings: [] };
}

/** The database of the profile, after the environment. */
export function databaseOf(checked: CheckedProject): DatabaseChoice {
  return chooseDatabase(checked.project.root, siteOf(checked), process.env);
}

/** The database as a server opens it, for callers that are not the author. */
export function servedDatabaseOf(checked: CheckedProject, stateless: boolean): DatabaseChoice {
  return chooseDatabase(checked.project.root, siteFileOf(checked), process.env, { stateless, serves: true });
}

function noProject(): SvcError {
  return new SvcError(
    'project_invalid',
    `There is no svc-site.yml in ${process.cwd()} or in a folder above it.
Go to a project's folder, or create a project with \`svc init --bootstrap\`.`,
  );
}
