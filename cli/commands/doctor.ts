import { findProjectRoot } from '../../adapters/node/project/project-files.ts';
import { SvcError } from '../../src/errors.ts';
import { oneLine } from '../../src/one-line.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { EndpointFile } from '../../src/project/model.ts';
import type { LoadedSettings } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings/model.ts';
import { signInOf } from '../../src/settings/sign-in.ts';
import type { CommandInput, Run } from '../command.ts';
import { configuredAddress, toAddress } from '../doctor/address.ts';
import { type Check, failed, ok, problem } from '../doctor/check.ts';
import { diagnoseDatabase } from '../doctor/local/database.ts';
import { checkAudit, checkClock, checkSocket, diagnosePort } from '../doctor/local/machine.ts';
import { checkEngines, checkNode, diagnosePython, diagnoseTelemetry } from '../doctor/local/runtimes.ts';
import { checkOutside } from '../doctor/remote.ts';
import { checkAuth, checkConfigured, checkWhoMay } from '../doctor/sign-in.ts';
import { count, styled, toColumns } from '../io/output.ts';
import { type CheckedProject, checkProject, databaseOf } from '../project/project.ts';
import { checkProjectSettings, settingsOf } from '../project/settings.ts';

/** `svc doctor`: finds problems of this machine, of a server's address, or of signing in. */
export const run: Run = async (input, output) => {
  const { url, checks } = await look(input);
  const broken = checks.some(({ status }) => status === 'problem');
  const shown = checks.map((check) => ({ ...check }));
  const where = url === null ? {} : { url };
  output.data({ status: broken ? 'error' : 'ok', ...where, checks: shown }, () => toText(checks));
  return broken ? 1 : 0;
};

interface Looked {
  readonly url: string | null;
  readonly checks: readonly Check[];
}

async function look(input: CommandInput): Promise<Looked> {
  const [what] = input.args;
  if (what === 'auth') return lookAtAuth(input);
  const url = what ?? input.text('url');
  if (url === undefined) return { url: null, checks: await checkInside(input) };
  if (!URL.canParse(url) && what !== undefined) {
    throw new SvcError(
      'usage',
      `svc doctor ${what} is not known. Write svc doctor, svc doctor auth, or svc doctor <url>.`,
    );
  }
  const address = toAddress(url);
  return { url: address.mcp, checks: await checkOutside(address) };
}

async function lookAtAuth(input: CommandInput): Promise<Looked> {
  const url = input.text('url');
  const asked = url === undefined ? null : toAddress(url);
  const found = await findSettings(input, asked === null);
  const settings = found?.settings ?? null;
  const address = asked ?? (settings === null ? null : configuredAddress(settings.transport.http));
  if (address === null) throw new SvcError('usage', 'Name a server with --url.');
  const checks = await checkAuth(settings, address, asked === null);
  return { url: address.mcp, checks: [...checks, ...(found === null ? [] : checkWhoMay(found))] };
}

interface FoundProject {
  readonly settings: Settings;
  readonly endpoints: readonly EndpointFile[];
}

/** The settings and endpoints of the project around; null outside a project if the address of another server was given. */
async function findSettings(input: CommandInput, needed: boolean): Promise<FoundProject | null> {
  if (!needed && (await findProjectRoot(process.cwd())) === null) return null;
  const checked = await checkProject(input);
  return { settings: await settingsOf(input, checked), endpoints: checked.project.endpoints };
}

/** Servers choose parts of some texts. */
function toText(checks: readonly Check[]): string {
  const rows = checks.flatMap(({ name, status, message, fix }) => {
    const style = status === 'problem' ? 'error' : status;
    const line = [styled(style, status), name, oneLine(message)];
    return fix === null ? [line] : [line, ['', '', styled('dim', `fix: ${oneLine(fix)}`)]];
  });
  const { length } = checks.filter(({ status }) => status === 'problem');
  return `${toColumns(rows)}\n${length === 0 ? styled('ok', 'ok') : count(length, 'problem')}`;
}

const VALIDATE = 'Run `svc validate` to see all errors.';

/** Checks everything that this machine needs to serve the project. */
async function checkInside(input: CommandInput): Promise<readonly Check[]> {
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

/** Checks the places and the packages that the settings need, and signing in if it is switched on. */
async function checkSettled(settings: Settings, root: string): Promise<readonly Check[]> {
  const { auth, transport } = settings;
  const configured =
    signInOf(auth) !== null || auth.public
      ? checkConfigured(settings, configuredAddress(transport.http), true)
      : [];
  const places = [
    checkSocket(settings),
    checkAudit(settings.audit, root),
    diagnoseTelemetry(settings),
    diagnosePort(transport),
  ];
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
    // the references of a wrong file are unknown
    ...(others.length > 0 && lost.length === 0 ? [] : references),
    ...lost.map((finding) => toProblem('references', finding)),
  ];
}

function toProblem(name: string, { file, line, message, fix }: Finding): Check {
  const [first = ''] = message.split('\n');
  return problem(name, `${line === 0 ? file : `${file}:${line}`}: ${first}`, fix);
}
