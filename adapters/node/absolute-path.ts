import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { SvcError } from '../../src/errors.ts';

/** Returns the folder that `~/` stands for; null if HOME is not set and the system knows no folder of this user. */
export function homeOf(env: NodeJS.ProcessEnv): string | null {
  if (env.HOME) return env.HOME;
  try {
    return homedir();
  } catch {
    // Node throws if the user has no entry in /etc/passwd.
    return null;
  }
}

/** Replaces `~/` at the beginning of a path by the user's folder. Throws `config_invalid` if there is no such folder. */
export function expandHome(path: string, env: NodeJS.ProcessEnv): string {
  // A function, because a folder's name may contain `$&`.
  return path.replace(/^~(?=\/|$)/, () => {
    const home = homeOf(env);
    if (home !== null) return home;
    throw new SvcError(
      'config_invalid',
      `The path ${path} begins with the user's folder, which is not known, because HOME is not set.\nSet HOME, or write a path without \`~/\`.`,
    );
  });
}

/** Makes a path of a setting absolute: `~/` is the user's folder, and a relative path begins at `root`. */
export function absolutePath(root: string, path: string, env: NodeJS.ProcessEnv = process.env): string {
  return resolve(root, expandHome(path, env));
}
