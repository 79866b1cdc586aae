import { findProjectRoot } from '../../adapters/node/project/project-files.ts';
import type { Settings } from '../../src/settings/model.ts';
import { signInOf } from '../../src/settings/sign-in.ts';
import type { CommandInput } from '../command.ts';
import { type CheckedProject, checkProject, databaseOf } from '../project/project.ts';
import { checkProjectSettings } from '../project/settings.ts';
import { configuredAddress } from './address.ts';
import { type Check, failed, problem } from './check.ts';
import { checkClock, diagnosePort } from './local/clock-and-port.ts';
import { diagnoseDatabase } from './local/database.ts';
import { checkConfiguration, checkFiles } from './local/project.ts';
import { checkEngines, checkNode, diagnosePython } from './local/runtimes.ts';
import { checkAudit, checkSocket } from './local/socket-and-audit.ts';
import { checkConfigured } from './sign-in/settings.ts';

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
