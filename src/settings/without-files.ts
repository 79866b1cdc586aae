import { SvcError } from '../errors.ts';
import type { SecretSource } from '../ports.ts';
import { loadSite } from '../project/site.ts';
import type { SiteFile } from '../project/site-model.ts';
import type { Environment } from './environment.ts';
import { loadSettings } from './load.ts';
import type { Settings } from './model.ts';
import type { Connections } from './references/connections.ts';

/** The data that a platform without files has at its start. */
export interface BundledInput {
  readonly project: string;
  /** The profile of the build; SVC_PROFILE overrides it. */
  readonly profile: string;
  /** Names of the secrets that the project needs. */
  readonly secrets: readonly string[];
  /** The bundled user file; SVC_CONFIG_YAML overrides it. */
  readonly bundled: string | null;
  /** Environment variables, or text bindings. */
  readonly env: Environment;
  readonly openSource: (connections: Connections) => SecretSource;
  readonly timeoutMs?: number;
}

/** Loads the settings of an artefact and resolves its references. Throws config_invalid with every error (design, D15). */
export async function loadEdgeSettings(input: BundledInput): Promise<Settings> {
  const { bundled, env, openSource, timeoutMs } = input;
  const text = env.SVC_CONFIG_YAML?.trim() ? env.SVC_CONFIG_YAML : bundled;
  const name = text === bundled ? 'config.yml' : 'SVC_CONFIG_YAML';
  const { settings, findings } = await loadSettings({
    site: await siteOf(input),
    siteFile: null,
    userFile: text === null ? null : { name, bytes: new TextEncoder().encode(text) },
    env,
    flags: [],
    openSource,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  if (settings !== null) return settings;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const lines = errors.map(({ file, line, message, fix }) => `${file}:${line}: ${message} ${fix}`);
  const unresolved = errors.some(({ code }) => code === 'reference-unresolved');
  throw new SvcError(unresolved ? 'reference_unresolved' : 'config_invalid', lines.join('\n'));
}

/** A minimal site file, made from the manifest. */
async function siteOf({ project, profile, secrets, env }: BundledInput): Promise<SiteFile> {
  const written = { svc: 1, project, profile: env.SVC_PROFILE?.trim() || profile, secrets };
  const read = async () => new TextEncoder().encode(JSON.stringify(written));
  const { site, findings } = await loadSite({ list: async () => [], read });
  if (site) return site;
  throw new SvcError('config_invalid', findings.map(({ message }) => message).join('\n'));
}
