import { findProjectRoot } from '../../adapters/node/project/project-files.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { LoadedSettings } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings/model.ts';
import { signInOf } from '../../src/settings/sign-in.ts';
import type { CommandInput } from '../command.ts';
import { count } from '../io/output.ts';
import { type CheckedProject, checkProject, databaseOf } from '../project/project.ts';
import { checkProjectSettings } from '../project/settings.ts';
import { configuredAddress } from './address.ts';
import { type Check, failed, ok, problem } from './check.ts';
import { diagnoseDatabase } from './local/database.ts';
import { checkAudit, checkClock, checkSocket, diagnosePort } from './local/machine.ts';
import { checkEngines, checkNode, diagnosePython } from './local/runtimes.ts';
import { checkConfigured } from './sign-in.ts';

const VALIDATE = 'Run `svc validate` to see all errors.';

/** Checks everything that this machine needs to serve the project. */
export async function checkInside(input: CommandInput): Promise<readonly Check[]> {
  const node = checkNode();
  const root = await findProjectRoot(process.cwd());
  if (root === null) {
    const fix = "Go to a project's folder, create one with `svc init`, or check a server: svc doctor <url>.";
    const none = problem('project', `there is no svc-site.yml in ${process.cwd()} or above it`, fix);
    return [node, ...(await checkEngines(null)), none];
  }
  try {
    return [node, ...(await checkFound(input, root, await checkProject(input)))];
  } catch (thrown) {
    return [node, failed('project', thrown, VALIDATE)];
  }
}

async function checkFound(
  input: CommandInput,
  root: string,
  checked: CheckedProject,
): Promise<readonly Check[]> {
  const files = checkFiles(checked);
  const python = await diagnosePython(checked.project, process.env);
  const clock = await checkClock(root);
  if (checked.project.site === null) return [python, ...(await checkEngines(null)), files, clock];
  const loaded = await checkProjectSettings(input, checked);
  const { choice, checks } = await checkOpening(checked, root, loaded.settings?.secrets ?? []);
  const settled = loaded.settings === null ? [] : await checkSettled(loaded.settings, root);
  const engines = await checkEngines(choice);
  return [python, ...engines, files, ...checkConfiguration(loaded), ...checks, ...settled, clock];
}

/** Chooses the engine and tries to open the database. */
async function checkOpening(
  { project, findings }: CheckedProject,
  root: string,
  secrets: Settings['secrets'],
) {
  try {
    const choice = { ...databaseOf({ project, findings }), secrets };
    return { choice: choice.engine, checks: await diagnoseDatabase(root, choice) };
  } catch (thrown) {
    return { choice: null, checks: [failed('database', thrown, VALIDATE)] };
  }
}

/** Checks the places that the settings name, and signing in if it is switched on. */
async function checkSettled(settings: Settings, root: string): Promise<readonly Check[]> {
  const { auth, transport } = settings;
  const configured =
    signInOf(auth) !== null || auth.public
      ? checkConfigured(settings, configuredAddress(transport.http), true)
      : [];
  const places = [checkSocket(settings), checkAudit(settings.audit, root), diagnosePort(transport)];
  return [...configured, ...(await Promise.all(places))];
}

const errorsOf = (findings: readonly Finding[]) => findings.filter(({ severity }) => severity === 'error');

/** Checks the project's files and the profile in use. */
export function checkFiles({ project, findings }: CheckedProject): Check {
  const errors = errorsOf(findings);
  if (project.site !== null && errors.length === 0) {
    const { site, endpoints } = project;
    return ok('project', `${site.project}, profile ${site.profile}, ${count(endpoints.length, 'endpoint')}`);
  }
  const [first] = errors;
  const place = first === undefined ? 'svc-site.yml' : `${first.file}:${first.line}`;
  const message = `${count(errors.length, 'error')}, the first at ${place}: ${first?.message.split('\n')[0]}`;
  return problem('project', message, first?.fix ?? 'Run `svc validate` to see all errors.');
}

/** Checks the configuration and its references. Shows names, never values. */
export function checkConfiguration({ findings }: LoadedSettings): readonly Check[] {
  const errors = errorsOf(findings);
  const lost = errors.filter(({ code }) => code === 'reference-unresolved');
  const others = errors.filter(({ code }) => code !== 'reference-unresolved');
  const configuration = others.length === 0 ? [ok('configuration', 'every value is valid')] : [];
  const references = lost.length === 0 ? [ok('references', 'every reference has a value')] : [];
  return [
    ...configuration,
    ...others.map((finding) => toProblem('configuration', finding)),
    // with a wrong file nobody knows what it refers to
    ...(others.length > 0 && lost.length === 0 ? [] : references),
    ...lost.map((finding) => toProblem('references', finding)),
  ];
}

function toProblem(name: string, { file, line, message, fix }: Finding): Check {
  const [first = ''] = message.split('\n');
  return problem(name, `${line === 0 ? file : `${file}:${line}`}: ${first}`, fix);
}
