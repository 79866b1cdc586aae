import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstReason } from './first-reason.js';
import { tried } from './tried.js';

/**
 * The lists of packages: the wanted ones (`<name>.in`), and each installed one with its version and hashes
 * (`<name>.txt`).
 */
export const PYTHON_PINS = fileURLToPath(new URL('python/', import.meta.url));

const INSTALL = ['install', '--quiet', '--disable-pip-version-check', '--retries', '1'];
/** The lists are complete, so pip resolves nothing. */
const PINNED = ['--no-deps', '--require-hashes', '--only-binary=:all:', '-r'];

/** The text of a list, which changes with each of its packages. */
export function pythonPins(name) {
  return readFileSync(join(PYTHON_PINS, `${name}.txt`), 'utf8');
}

/** Makes a virtual environment with the packages of a list. Returns the reason of a failure, or an empty text. */
export function installPython(name, venv) {
  const python = join(venv, 'bin/python3');
  return firstReason([
    () => tried('python3', ['-m', 'venv', venv], 'there is no python3 with venv'),
    () => pipInstall(name, [], python),
    () => tried(python, ['-m', 'pip', 'check'], `the list of ${name} does not fit this Python`),
  ]);
}

/** Runs `pip install` for a list. Returns the reason of a failure, or an empty text. */
export function pipInstall(name, options, python = 'python3') {
  const list = join(PYTHON_PINS, `${name}.txt`);
  return tried(
    python,
    ['-m', 'pip', ...INSTALL, ...options, ...PINNED, list],
    `pip could not install ${name}`,
  );
}
