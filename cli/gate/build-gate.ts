import { readFile } from 'node:fs/promises';
import { posix, relative, resolve } from 'node:path';
import { openProjectFiles } from '../../adapters/node/project/project-files.ts';
import { checkCapability } from '../../deploy/compile-project.ts';
import { listModules } from '../../deploy/python/carried-python.ts';
import { type EngineName, runsPython, type TargetName } from '../../deploy/targets/targets.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import { SvcError } from '../../src/errors.ts';
import type { Database, Files } from '../../src/ports.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { Endpoint, Project } from '../../src/project/model.ts';
import { SITE_NAME } from '../../src/project/site-model.ts';
import { decodeLoosely } from '../../src/project/yaml/decode.ts';
import {
  ALLOWABLE,
  type Allowed,
  allowedIn,
  CHECKS,
  type CheckName,
  type CheckReport,
  type GateIssue,
  isOpen,
  judge,
  judgeChanges,
  skip,
  toProblems,
} from '../../src/quality/gate/report.ts';
import { findSecrets } from '../../src/quality/gate/secrets.ts';
import { lintProject } from '../../src/quality/lint/lint.ts';
import { pythonEndpoints } from '../../src/quality/python.ts';
import { checkLiteralSecrets } from '../../src/settings/references/literal-secrets.ts';
import { suggestName } from '../../src/types/nearest.ts';
import type { CommandInput } from '../command.ts';
import { compareLock, LOCK_FILE, readLock } from '../drift/lock.ts';
import type { Output } from '../io/output.ts';
import { engineOf } from '../project/options.ts';
import { type CheckedProject, soundPart } from '../project/project.ts';
import { checkPythonFiles, checkPythonOn } from '../project/python-checks.ts';
import { driftCheck, type ServedEndpoints, statementFindings, testsCheck } from './database-checks.ts';
import { toGateError } from './report-text.ts';

/**
 * The checks of a build: first the checks without a database, then `inspect` with the database that will be served.
 */
export interface DeployGate {
  /** Makes the remaining checks. Throws project_invalid with all results if one forbids the build. */
  readonly inspect: (database: Database) => Promise<readonly Allowed[]>;
  /** The results of all checks, once `inspect` has ended. */
  readonly reports: () => readonly CheckReport[];
}

/** Parses `--allow`. Throws usage for an unknown check. */
function allowedOf(input: CommandInput): readonly CheckName[] {
  return input.list('allow').map((asked) => {
    const check = ALLOWABLE.find((name) => name === asked);
    if (check) return check;
    const hint =
      asked === 'validate'
        ? 'A project with errors cannot be built.'
        : suggestName(asked, ALLOWABLE, `Choose ${ALLOWABLE.join(', ')}.`);
    throw new SvcError('usage', `--allow ${asked} is not known. ${hint}`);
  });
}

/** Makes the checks that need no database. Throws project_invalid if they leave nothing to build. */
export async function openGate(
  checked: CheckedProject,
  target: TargetName,
  input: CommandInput,
  output: Output,
): Promise<DeployGate> {
  const allowed = allowedOf(input);
  const python = await checkPythonFiles(checked);
  const first = [validateCheck([...checked.findings, ...python]), lintCheck(checked, allowed)];
  const bundled = await bundledSecrets(checked, input.text('config'));
  const secrets = await secretsCheck(checked, bundled, allowed);
  if (!isOpen(first.slice(0, 1)) || bundled.length > 0)
    throw toGateError(target, withRest([...first, secrets]), { allowable: false });
  const catalog = await compileCatalog(checked.project);
  const still = [...first, secrets, await lockCheck(checked, catalog, allowed)];
  const platform = { target, engine: engineOf(input), experimentalPython: input.flag('experimentalPython') };
  const capability = await checkCapabilities(checked, catalog, platform);
  let reports: readonly CheckReport[] = still;
  return {
    reports: () => reports,
    inspect: async (database) => {
      const served: ServedEndpoints = { checked, catalog, database, target, allowed };
      const findings = await statementFindings(served);
      reports = [
        ...still,
        judge('target', [...capability, ...toProblems(findings)], allowed),
        await testsCheck(served, findings, { input, output }),
        await driftCheck(served),
      ];
      if (!isOpen(reports)) throw toGateError(target, reports, { allowable: true });
      return allowedIn(reports);
    },
  };
}

/** Completes a report with the checks that were not made. */
function withRest(made: readonly CheckReport[]): readonly CheckReport[] {
  const known = new Set(made.map(({ check }) => check));
  const rest = CHECKS.filter((check) => !known.has(check));
  return [...made, ...rest.map((check) => skip(check, 'the project cannot be built as it is'))];
}

/** Fails if the project has errors; such a project cannot be built. */
function validateCheck(findings: readonly Finding[]): CheckReport {
  return judge('validate', toProblems(findings), []);
}

/** Fails if metadata that callers need is missing. */
function lintCheck(checked: CheckedProject, allowed: readonly CheckName[]): CheckReport {
  return judge('lint', toProblems(lintProject(soundPart(checked).endpoints)), allowed);
}

/** Finds secrets in the files of an artefact. Secrets in a bundled user file can never be allowed. */
async function secretsCheck(
  { project }: CheckedProject,
  bundled: readonly GateIssue[],
  allowed: readonly CheckName[],
): Promise<CheckReport> {
  const files = await openProjectFiles(project.root);
  const sources = project.endpoints.flatMap(({ endpoint }) => (endpoint?.enabled ? filesOf(endpoint) : []));
  const found = [...new Set([SITE_NAME, ...sources, ...(await modulesOf(project, files))])].map(
    async (path) => {
      const bytes = await files.read(path);
      const text = bytes === null ? '' : decodeLoosely(bytes);
      // A NUL shows that a file is not text
      return text.includes('\0') ? [] : findSecrets(path, text);
    },
  );
  const own = toProblems((await Promise.all(found)).flat());
  if (bundled.length === 0) return judge('secrets', own, allowed);
  const report = judge('secrets', [...bundled, ...own], []);
  const fixes = [...bundled.map(({ fix = '' }) => fix), ...(own.length === 0 ? [] : [FIX_OF_OTHERS])];
  return { ...report, fix: [...new Set(fixes)].join(' ') };
}

const FIX_OF_OTHERS = 'Remove those of other files: name the secrets under `secrets` in svc-site.yml.';

/** The files of an endpoint, whose texts go into an artefact. */
function filesOf(endpoint: Endpoint): readonly string[] {
  const { file } = endpoint;
  const source = endpoint.kind === 'prompt' ? null : endpoint.source.file;
  const skill = endpoint.kind === 'resource' ? (endpoint.skill?.files ?? []) : [];
  const beside = skill.map(({ path }) => posix.join(posix.dirname(file), path));
  return [file, ...(source === null ? [] : [source]), ...beside];
}

/** The files in the folder of Python modules, which go into an artefact with Python endpoints. */
async function modulesOf({ site, endpoints }: Project, files: Files): Promise<readonly string[]> {
  if (site === null || pythonEndpoints(endpoints).length === 0) return [];
  const folder = site.paths.python;
  // The build refuses the whole project, which may have large databases
  return folder === '.' ? [] : listModules(files, folder);
}

/** Finds secrets in the bundled user file, if any. An unreadable file is left to the build, which reports it. */
async function bundledSecrets(
  { project: { root } }: CheckedProject,
  config: string | undefined,
): Promise<readonly GateIssue[]> {
  if (config === undefined) return [];
  const bytes = await readFile(resolve(config)).catch(() => null);
  return bytes === null ? [] : toProblems(checkLiteralSecrets(bytes, relative(root, resolve(config))));
}

/** Compares the catalog with the lock. */
async function lockCheck(
  { project }: CheckedProject,
  catalog: Catalog,
  allowed: readonly CheckName[],
): Promise<CheckReport> {
  const locked = await readLock(project);
  if (locked === null) return skip('lock', `there is no ${LOCK_FILE}; \`svc lock\` makes one`);
  return judgeChanges('lock', compareLock(locked, catalog), allowed);
}

/** The platform and the engine of the artefact. */
interface GatePlatform {
  readonly target: TargetName;
  readonly engine: EngineName;
  readonly experimentalPython: boolean;
}

/** Finds parts of the project that no artefact of the platform can run, independent of the database. */
async function checkCapabilities(
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
