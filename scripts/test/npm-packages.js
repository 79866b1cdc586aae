import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tried } from './tried.js';

/** A folder for each set of packages, with its `package.json`, its lock file and its settings of npm. */
export const NPM_PINS = fileURLToPath(new URL('npm/', import.meta.url));

const CI = ['ci', '--no-audit', '--no-fund'];

/** The text of a lock file, which changes with each of its packages. */
export function npmPins(name) {
  return readFileSync(join(NPM_PINS, name, 'package-lock.json'), 'utf8');
}

/** Installs a set of packages into a folder. Returns the reason of a failure, or an empty text. */
export function installNpm(name, folder, { scripts = false } = {}) {
  cpSync(join(NPM_PINS, name), folder, { recursive: true });
  const options = scripts ? [] : ['--ignore-scripts'];
  return tried('npm', [...CI, ...options], `npm could not install ${name}`, folder);
}
