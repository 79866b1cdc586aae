import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { Environment } from '../../src/settings/environment.ts';

/** The user file's bytes, and its name in findings. */
export interface FoundUserFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The folder that `~/` stands for. */
export function homeOf(env: Environment): string {
  return env.HOME || homedir();
}

/** The user file where the environment says, or in its usual place, where it may be missing (spec, "Environment variables"). */
export async function findUserFile(env: Environment): Promise<FoundUserFile | null> {
  if (env.SVC_CONFIG_YAML?.trim()) {
    return { name: 'SVC_CONFIG_YAML', bytes: new TextEncoder().encode(env.SVC_CONFIG_YAML) };
  }
  const asked = env.SVC_CONFIG?.trim();
  const home = homeOf(env);
  const path = asked ? resolve(asked.replace(/^~(?=\/|$)/, home)) : join(home, '.svc/config.yml');
  try {
    return { name: path, bytes: await readFile(path) };
  } catch (cause) {
    const absent =
      cause instanceof Error && 'code' in cause && ['ENOENT', 'ENOTDIR'].includes(String(cause.code));
    if (absent && !asked) return null;
    throw unreadable(path, absent, asked !== undefined && asked !== '', cause);
  }
}

function unreadable(path: string, absent: boolean, asked: boolean, cause: unknown): SvcError {
  const what = absent ? `There is no user file at ${path}` : `The user file ${path} cannot be read`;
  const why = asked ? ', which SVC_CONFIG names' : '';
  const fix = asked
    ? 'Correct SVC_CONFIG, or unset it for ~/.svc/config.yml.'
    : 'Give yourself the right to read it.';
  return new SvcError('config_invalid', `${what}${why}.\n${fix}`, { cause });
}
