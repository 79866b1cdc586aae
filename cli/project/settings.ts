import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openNodeSource } from '../../adapters/node/references/source.ts';
import { findUserFile } from '../../adapters/node/user-file.ts';
import type { SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { SITE_NAME } from '../../src/project/site-model.ts';
import type { Override } from '../../src/settings/environment.ts';
import { type LoadedSettings, loadSettings, type SettingsInput } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { CommandInput } from '../command.ts';
import { toFindingsError } from '../io/findings.ts';
import { type CheckedProject, siteFileOf } from './project.ts';

/** Loads the settings of the active profile with their findings. */
export async function checkProjectSettings(
  input: CommandInput,
  checked: CheckedProject,
): Promise<LoadedSettings> {
  return (await openFiles(input, checked))();
}

/** Loads the settings of the active profile. Throws if they have errors. */
export async function settingsOf(input: CommandInput, checked: CheckedProject): Promise<Settings> {
  return (await openSettings(input, checked))();
}

/** Loads the settings; `reload` says whether they were loaded before. */
type LoadServed = (how?: { readonly reload: boolean }) => Promise<Settings>;

/** Reads the files once. Each call of the result resolves their references anew; a reload also reads the API keys. */
export async function openSettings(input: CommandInput, checked: CheckedProject): Promise<LoadServed> {
  const load = await openFiles(input, checked);
  return async ({ reload } = { reload: false }) => {
    const latest = reload ? { latest: await findUserFile(process.env) } : {};
    const { settings, findings } = await load(latest);
    if (settings !== null) return settings;
    throw toConfigError(findings.filter(({ severity }) => severity === 'error'));
  };
}

async function openFiles(
  input: CommandInput,
  checked: CheckedProject,
): Promise<(latest?: Pick<SettingsInput, 'latest'>) => Promise<LoadedSettings>> {
  const { env } = process;
  const files = {
    site: siteFileOf(checked),
    siteFile: { name: SITE_NAME, text: await readFile(join(checked.project.root, SITE_NAME), 'utf8') },
    userFile: await findUserFile(env),
    flags: flagsOf(input),
  };
  const openSource: SettingsInput['openSource'] = (connections) => openNodeSource(connections, env);
  return (latest = {}) => loadSettings({ ...files, ...latest, env, openSource });
}

/** The error for a configuration with errors. */
export function toConfigError(findings: readonly Finding[]): SvcError {
  const unresolved = findings.some(({ code }) => code === 'reference-unresolved');
  return toFindingsError(findings, unresolved ? 'reference_unresolved' : 'config_invalid', 'configuration');
}

/** Options that override every file and variable. */
export const FLAGS: readonly { readonly option: string; readonly flag: string; readonly key: string }[] = [
  { option: 'profile', flag: '--profile', key: 'profile' },
  { option: 'transport', flag: '--transport', key: 'transport.provider' },
  { option: 'port', flag: '--port', key: 'transport.http.port' },
  { option: 'host', flag: '--host', key: 'transport.http.host' },
  { option: 'public', flag: '--public', key: 'auth.public' },
  { option: 'stateless', flag: '--stateless', key: 'transport.http.stateless' },
  { option: 'debug', flag: '--debug', key: 'debug' },
];

function flagsOf(input: CommandInput): readonly Override[] {
  return FLAGS.flatMap(({ option, flag, key }) => {
    const text = input.text(option);
    const value = input.flag(option) ? true : key.endsWith('.port') && text ? Number(text) : text;
    return value === undefined ? [] : [{ key, value, origin: { kind: 'flag', source: flag } }];
  });
}
