import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { openProjectFiles } from '../../adapters/node/project/project-files.ts';
import { checkCapability } from '../../deploy/compile-project.ts';
import { type EngineName, runsPython, type TargetName } from '../../deploy/targets/targets.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import type { Files } from '../../src/ports.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { Project } from '../../src/project/model.ts';
import { SITE_NAME } from '../../src/project/site.ts';
import {
  type CheckName,
  type CheckReport,
  type GateIssue,
  judge,
  judgeChanges,
  skip,
  toProblems,
} from '../../src/quality/gate/report.ts';
import { findSecrets } from '../../src/quality/gate/secrets.ts';
import { lintProject } from '../../src/quality/lint/lint.ts';
import { pythonEndpoints } from '../../src/quality/python.ts';
import { checkLiteralSecrets } from '../../src/settings/references/literal-secrets.ts';
import { compareLock, LOCK_FILE, readLock } from '../drift/lock.ts';
import { type CheckedProject, soundPart } from '../project/project.ts';
import { checkPythonOn } from '../project/python-checks.ts';

/** Fails if the project has errors; such a project cannot be built. */
export function validateCheck(findings: readonly Finding[]): CheckReport {
  return judge('validate', toProblems(findings), []);
}

/** Fails if metadata that callers need is missing. */
export function lintCheck(checked: CheckedProject, allowed: readonly CheckName[]): CheckReport {
  return judge('lint', toProblems(lintProject(soundPart(checked).endpoints)), allowed);
}

/** Finds secrets in the files of an artefact. Secrets in a bundled user file can never be allowed. */
export async function secretsCheck(
  { project }: CheckedProject,
  bundled: readonly GateIssue[],
  allowed: readonly CheckName[],
): Promise<CheckReport> {
  const files = await openProjectFiles(project.root);
  const sources = project.endpoints.flatMap(({ file, endpoint }) => {
    if (!endpoint?.enabled) return [];
    const source = endpoint.kind === 'prompt' ? null : endpoint.source.file;
    return source === null ? [file] : [file, source];
  });
  const found = [...new Set([SITE_NAME, ...sources, ...(await modulesOf(project, files))])].map(
    async (path) => {
      const bytes = await files.read(path);
      return bytes === null ? [] : findSecrets(path, new TextDecoder().decode(bytes));
    },
  );
  const own = toProblems((await Promise.all(found)).flat());
  return judge('secrets', [...bundled, ...own], bundled.length > 0 ? [] : allowed);
}

/** The text files in the folder of Python modules, which go into an artefact with Python endpoints. */
async function modulesOf({ site, endpoints }: Project, files: Files): Promise<readonly string[]> {
  if (site === null || pythonEndpoints(endpoints).length === 0) return [];
  const paths = await files.list(site.paths.python);
  return paths.filter((path) => /\.(?:py|ya?ml|json|toml|txt|cfg|ini|csv)$/.test(path));
}

/** Finds secrets in the bundled user file, if any. An unreadable file is left to the build, which reports it. */
export async function bundledSecrets(
  { project: { root } }: CheckedProject,
  config: string | undefined,
): Promise<readonly GateIssue[]> {
  if (config === undefined) return [];
  const bytes = await readFile(resolve(config)).catch(() => null);
  return bytes === null ? [] : toProblems(checkLiteralSecrets(bytes, relative(root, resolve(config))));
}

/** Compares the catalog with the lock. */
export async function lockCheck(
  { project }: CheckedProject,
  catalog: Catalog,
  allowed: readonly CheckName[],
): Promise<CheckReport> {
  const locked = await readLock(project);
  if (locked === null) return skip('lock', `there is no ${LOCK_FILE}; \`svc lock\` makes one`);
  return judgeChanges('lock', compareLock(locked, catalog), allowed);
}

/** The platform and the engine of the artefact. */
export interface GatePlatform {
  readonly target: TargetName;
  readonly engine: EngineName;
  readonly experimentalPython: boolean;
}

/** Finds parts of the project that no artefact of the platform can run, independent of the database. */
export async function checkCapabilities(
  checked: CheckedProject,
  catalog: Catalog,
  { target, engine, experimentalPython }: GatePlatform,
): Promise<readonly GateIssue[]> {
  const { site } = checked.project;
  if (site === null) return [];
  const python = runsPython({ target, experimentalPython })
    ? toProblems(await checkPythonOn(checked, target))
    : pythonEndpoints(soundPart(checked).endpoints).map(({ endpoint: { kind, name, file } }) => ({
        message: `The ${kind} ${name} is in Python, which ${target} does not run.`,
        file,
      }));
  return [...checkCapability({ site, catalog }, engine).map(({ message }) => ({ message })), ...python];
}
