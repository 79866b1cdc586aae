import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expandHome } from '../../src/settings/home-path.ts';

/** Returns the folder that `~/` stands for. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || homedir();
}

/** Makes a path of a setting absolute: `~/` is the user's folder, and a relative path begins at `root`. */
export function absolutePath(root: string, path: string, env: NodeJS.ProcessEnv = process.env): string {
  return resolve(root, expandHome(path, homeOf(env)));
}
