import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { homeOf } from '../../adapters/node/absolute-path.ts';
import { messageOf, SvcError } from '../../src/errors.ts';
import type { SiteFile } from '../../src/project/site-model.ts';
import type { Secret } from '../../src/settings/model.ts';
import { PROFILES_FILE } from './folder.ts';
import { isKnown } from './required-values.ts';
import { refuseCollisions, toDbtProfile, valuesOf } from './secret-names.ts';

interface Asked {
  readonly args: readonly string[];
  /** Whether the user named a profile. */
  readonly asked: boolean;
}

/**
 * The variable that chooses dbt's profile. Empty if the user chose one already, or if dbt has only profiles of its
 * own.
 */
export async function profileVariable(
  site: SiteFile,
  cwd: string,
  { args, asked }: Asked,
): Promise<Readonly<Record<string, string>>> {
  const told = process.env.DBT_PROFILE || args.some((arg) => /^--profile(=|$)/.test(arg));
  if (told) return {};
  const profile = toDbtProfile(site.project, site.profile);
  for (const folder of profileFolders(cwd, args)) {
    const names = await profilesIn(folder);
    if (names === null) continue;
    if (names.includes(profile)) return { DBT_PROFILE: profile };
    break;
  }
  if (asked) throw unknown(site.profile, profile);
  return {};
}

/** The folders that dbt searches, in its order. */
function profileFolders(cwd: string, args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg) => /^--profiles-dir(=|$)/.test(arg));
  const given = at === -1 ? undefined : (args[at]?.split('=')[1] ?? args[at + 1]);
  const [first] = [given, process.env.DBT_PROFILES_DIR].filter(Boolean);
  if (first !== undefined) return [resolve(cwd, first)];
  const home = homeOf(process.env);
  return home === null ? [cwd] : [cwd, join(home, '.dbt')];
}

async function profilesIn(folder: string): Promise<readonly string[] | null> {
  const path = join(folder, PROFILES_FILE);
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  const content = toData(path, text);
  return typeof content === 'object' && content !== null ? Object.keys(content) : [];
}

function toData(path: string, text: string): unknown {
  try {
    return parseDocument(text).toJS();
  } catch (cause) {
    throw new SvcError(
      'config_invalid',
      `${path} is not valid YAML: ${messageOf(cause)}. Correct the file.`,
      {
        cause,
      },
    );
  }
}

function unknown(profile: string, name: string): SvcError {
  return new SvcError(
    'config_invalid',
    `dbt has no profile ${name} for the svc profile ${profile}. Run \`svc dbt-config --profile ${profile}\` first.`,
  );
}

/** The profile's secrets as environment variables for dbt's process. */
export function secretVariables(
  site: SiteFile,
  secrets: readonly Secret[],
): Readonly<Record<string, string>> {
  refuseCollisions(secrets);
  return Object.fromEntries(
    secrets.flatMap((secret) => toVariables(secret, isKnown(secret.type, site.extensions))),
  );
}

function toVariables(
  { name, parameters }: Secret,
  inProfile: boolean,
): readonly (readonly [string, string])[] {
  return valuesOf(name, parameters).flatMap(({ path, ...variables }) => {
    const [parameter, key] = path;
    const value = parameters[parameter];
    const found = typeof value === 'object' && key !== undefined ? value[key] : value;
    const text = typeof found === 'object' ? JSON.stringify(found) : String(found);
    // Node's own error about a null byte would show the value.
    if (text.includes('\0')) throw binary(name, path.join('.'));
    if (inProfile && text.includes("'")) throw uncarried(name, path.join('.'));
    return [...new Set([variables.variable, variables.inProfile])].map(
      (variable) => [variable, text] as const,
    );
  });
}

function binary(name: string, parameter: string): SvcError {
  return new SvcError(
    'config_invalid',
    `The secret ${name} has a null byte in ${parameter}, and dbt gets secrets in environment variables, which hold text. Encode the value in base64.`,
  );
}

/** dbt-duckdb writes values into SQL without escaping them. */
function uncarried(name: string, parameter: string): SvcError {
  return new SvcError(
    'config_invalid',
    `The secret ${name} has a ' in ${parameter}, which dbt's adapter for DuckDB cannot quote. Change the secret where it was issued.`,
  );
}
