import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SvcError } from '../../src/errors.ts';

/**
 * Loads a vendor's package, an optional peer dependency, beside svc or from `folder`. Throws `config_invalid`
 * with the command that installs it.
 */
export async function loadPackage<T>(
  name: string,
  load: () => Promise<T>,
  model: string,
  folder = process.cwd(),
): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause;
    const path = pathIn(folder, name);
    if (path !== null) return await import(pathToFileURL(path).href);
    throw new SvcError(
      'config_invalid',
      `The model ${model} needs the package ${name}, which is not installed.\nRun \`npm install ${name}\`.`,
      { cause },
    );
  }
}

function isMissing(thrown: unknown, name: string): boolean {
  if (!(thrown instanceof Error) || !thrown.message.includes(name)) return false;
  return 'code' in thrown && /^(ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND)$/.test(String(thrown.code));
}

/**
 * Finds a package in a folder, because a svc that is installed globally does not see the packages of a project.
 */
function pathIn(folder: string, name: string): string | null {
  try {
    return createRequire(join(folder, 'package.json')).resolve(name);
  } catch {
    return null;
  }
}
