import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { Environment } from '../../src/settings/environment.ts';
import { absolutePath, homeOf } from './absolute-path.ts';

/** The bytes of the user file, and its name in findings. */
export interface FoundUserFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The absolute path that SVC_CONFIG names, where a leading `~/` is the user's folder; null if it is not set. */
export function userFilePath(env: Environment): string | null {
  const asked = env.SVC_CONFIG?.trim();
  return asked ? absolutePath('', asked, env) : null;
}

/**
 * Finds the user file: the text of SVC_CONFIG_YAML, the file of SVC_CONFIG, or `~/.svc/config.yml`; null if the
 * last is missing, or if there is no home folder (spec, "Environment variables"). Throws `config_invalid`.
 */
export async function findUserFile(env: Environment): Promise<FoundUserFile | null> {
  if (env.SVC_CONFIG_YAML?.trim()) {
    return { name: 'SVC_CONFIG_YAML', bytes: new TextEncoder().encode(env.SVC_CONFIG_YAML) };
  }
  const asked = userFilePath(env);
  const home = homeOf(env);
  const path = asked ?? (home === null ? null : join(home, '.svc/config.yml'));
  if (path === null) return null;
  try {
    return { name: path, bytes: await readFile(path) };
  } catch (cause) {
    const absent =
      cause instanceof Error && 'code' in cause && ['ENOENT', 'ENOTDIR'].includes(String(cause.code));
    if (absent && asked === null) return null;
    throw unreadable(path, absent, asked !== null, cause);
  }
}

function unreadable(path: string, absent: boolean, asked: boolean, cause: unknown): SvcError {
  const what = absent ? `There is no user file at ${path}` : `The user file ${path} cannot be read`;
  const why = asked ? ', which SVC_CONFIG names' : '';
  const fix = asked
    ? 'Correct SVC_CONFIG, or unset it for ~/.svc/config.yml.'
    : 'Give this user read access to it.';
  return new SvcError('config_invalid', `${what}${why}.\n${fix}`, { cause });
}
