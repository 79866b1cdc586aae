import { isAbsolute, relative, resolve, sep } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { type Finding, preventsServing } from '../../src/project/finding.ts';
import { SITE_NAME } from '../../src/project/site-model.ts';
import type { LoadedSuites } from '../../src/quality/evals/suite.ts';
import { checkPolicyReach } from '../../src/quality/policy-reach.ts';
import { checkSignIn } from '../../src/quality/sign-in/who-may.ts';
import type { LoadedSettings } from '../../src/settings/load.ts';
import type { Run } from '../command.ts';
import { checkLock, LOCK_FILE } from '../drift/lock.ts';
import { loadProjectSuites } from '../evals/suites.ts';
import { toFindingLines } from '../io/findings.ts';
import { count, styled, toColumns } from '../io/output.ts';
import { checkDatabase, NOT_CHECKED } from '../project/database-checks.ts';
import { targetOf } from '../project/options.ts';
import { type CheckedProject, checkProject, soundPart } from '../project/project.ts';
import { checkPythonFiles, checkPythonOn } from '../project/python-checks.ts';
import { checkProjectSettings } from '../project/settings.ts';
import { checkStart } from '../project/start-checks.ts';

/** `svc validate [file]`: reports every error with its place and its fix. */
export const run: Run = async (input, output) => {
  const target = targetOf(input);
  const checked = await checkProject(input);
  const [asked] = input.args;
  const suites = await loadProjectSuites(checked);
  const file = asked === undefined ? null : toProjectFile(asked, checked, suites);
  const loaded = checked.project.site === null ? null : await checkProjectSettings(input, checked);
  const own = [...(await checkAll(checked, loaded)), ...suites.findings];
  const locked = input.flag('locked') ? await checkLock(checked) : [];
  const python = [...(await checkPythonFiles(checked, file)), ...(await checkPythonOn(checked, target))];
  const secrets = loaded?.settings?.secrets ?? [];
  const scope = { file, target, secrets, offline: input.flag('offline') };
  const sql = await output.progress('checking SQL', (say) =>
    checkDatabase(checked, { ...scope, output, onEndpoint: say }),
  );
  const found = [...own, ...locked, ...python, ...sql];
  const findings = file === null ? found : found.filter((finding) => concerns(finding, file, checked));
  const failed = findings.some(({ severity }) => severity === 'error');
  const document = { status: failed ? 'error' : 'ok', findings: findings.map((finding) => ({ ...finding })) };
  const looked = output.debug ? [toLooked(findings, checked, file)] : [];
  output.data(document, () =>
    [...looked, toText(findings, checked, file, output.debug)].filter((part) => part !== '').join('\n'),
  );
  return failed ? 1 : 0;
};

/** The findings of the project, its policies and its configuration. */
async function checkAll(checked: CheckedProject, loaded: LoadedSettings | null): Promise<readonly Finding[]> {
  if (loaded === null) return checked.findings;
  const reach = await checkPolicyReach(soundPart(checked).endpoints);
  const { settings, at } = loaded;
  const held = settings ? checkSignIn(checked.project.endpoints, settings.auth, at) : [];
  const start = settings ? await checkStart(settings, at) : [];
  return [...checked.findings, ...reach, ...held, ...start, ...loaded.findings];
}

/** Converts a path of the command line to the form of findings: relative to the project's root. */
function toProjectFile(asked: string, { project }: CheckedProject, suites: LoadedSuites): string {
  const path = relative(project.root, resolve(asked)).split(sep).join('/');
  const files = [...project.endpoints, ...suites.files].map(({ file }) => file);
  if (path === SITE_NAME || files.includes(path)) return path;
  const where = path.startsWith('..') || isAbsolute(path) ? ' It is outside the project.' : '';
  throw new SvcError(
    'usage',
    `${asked} is not an endpoint file of this project.${where}
Name svc-site.yml, a .yml file below tools/, resources/, prompts/ or evals/, or a skill; \`svc list\` shows the endpoints.`,
  );
}

/**
 * Whether a finding is about a file or the SQL file of its endpoint, or says why these were not checked. What is gone
 * from the lock may have been in the file under another name.
 */
function concerns(finding: Finding, file: string, { project }: CheckedProject): boolean {
  if (finding.file === file || finding.file === LOCK_FILE) return true;
  if (finding.file === SITE_NAME) return preventsServing(finding) || finding.code === NOT_CHECKED;
  const endpoint = project.endpoints.find((candidate) => candidate.file === file)?.endpoint;
  return endpoint?.kind !== 'prompt' && finding.file === endpoint?.source.file;
}

/** Lists the checked endpoint files, one a line. */
function toLooked(findings: readonly Finding[], { project }: CheckedProject, asked: string | null): string {
  const files = project.endpoints.filter(({ file }) => asked === null || file === asked);
  return toColumns(
    files.map(({ file, kind, endpoint }) => {
      const errors = findings.filter((one) => one.file === file && one.severity === 'error').length;
      const language = endpoint === null || endpoint.kind === 'prompt' ? '-' : endpoint.source.language;
      const status = errors > 0 ? count(errors, 'error') : 'ok';
      return [file, `${kind} ${endpoint?.name ?? '?'}`, language, status];
    }),
  );
}

function toText(
  findings: readonly Finding[],
  { project }: CheckedProject,
  file: string | null,
  debug: boolean,
): string {
  const lines =
    findings.length === 0 ? [] : [toFindingLines(findings, { detail: debug, root: project.root })];
  const scope = file ?? count(project.endpoints.length, 'endpoint');
  const many = (severity: Finding['severity']) => findings.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [many('error'), many('warning')];
  if (errors + warnings === 0) return [...lines, `${styled('ok', 'ok')}: ${scope}`].join('\n');
  return [...lines, `${count(errors, 'error')}, ${count(warnings, 'warning')} in ${scope}`].join('\n');
}
