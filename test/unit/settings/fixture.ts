import { openNodeSource } from '../../../adapters/node/references/source.ts';
import type { Files } from '../../../src/ports.ts';
import { loadSite } from '../../../src/project/site.ts';
import type { SiteFile } from '../../../src/project/site-model.ts';
import { type LoadedSettings, loadSettings, type SettingsInput } from '../../../src/settings/load.ts';
import type { Settings } from '../../../src/settings/model.ts';

export const SITE = `svc: 1
project: demo
profile: dev
`;

const bytes = (text: string) => new TextEncoder().encode(text);

/** The site file's model, as the program would load it. */
export async function siteOf(text: string, profile?: string): Promise<SiteFile> {
  const files: Files = { list: async () => [], read: async () => bytes(text) };
  const { site, findings } = await loadSite(files, profile);
  if (site) return site;
  throw new Error(findings.map(({ message }) => message).join('\n'));
}

export interface Given {
  readonly site?: string;
  readonly profile?: string;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly over?: Partial<SettingsInput>;
}

/** Settings from texts, with the real sources of Node. */
export async function load({ site = SITE, profile, user, env = {}, over }: Given): Promise<LoadedSettings> {
  return loadSettings({
    site: await siteOf(site, profile),
    siteFile: { name: 'svc-site.yml', text: site },
    userFile: user === undefined ? null : { name: 'config.yml', bytes: bytes(user) },
    env,
    flags: [],
    openSource: (connections) => openNodeSource(connections, env),
    ...over,
  });
}

/** Settings that are meant to be sound. */
export async function settingsOf(given: Given): Promise<Settings> {
  const { settings, findings } = await load(given);
  if (settings) return settings;
  throw new Error(findings.map(({ message }) => message).join('\n'));
}

/** What is wrong, as `file:line code message fix`. */
export async function problemsOf(given: Given): Promise<readonly string[]> {
  const { findings } = await load(given);
  return findings.map(({ file, line, code, message, fix }) => `${file}:${line} ${code}: ${message} [${fix}]`);
}

/** A user file with blocks for the active profile, indented by ten. */
export function userFile(profile: string, shared = ''): string {
  return `svc: 1\n${shared}projects:\n  demo:\n    profiles:\n      dev:\n${profile.replace(/^(?=.)/gm, '        ')}`;
}
