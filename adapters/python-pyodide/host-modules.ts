import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../../src/errors.ts';
import { hostFolder } from '../python/host-folder.ts';
import type { HostModules } from './interpreter.ts';

/**
 * The places of the module that only Pyodide needs: beside the source or the compiled code, or beside a bundle.
 */
const PLACES = ['./host/svc_pyodide.py', './python-host/svc_pyodide.py'];

/** Reads the host's modules for an interpreter. */
export async function readHostModules(): Promise<HostModules> {
  const folder = join(hostFolder(), 'svc');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.py')).toSorted();
  const texts = names.map(
    async (name) => [`svc/${name}`, await readFile(join(folder, name), 'utf8')] as const,
  );
  return {
    ...Object.fromEntries(await Promise.all(texts)),
    'svc_pyodide.py': await readFile(pyodideModule(), 'utf8'),
  };
}

/** Returns the path of `svc_pyodide.py`; throws `python_unavailable` if it is missing. */
function pyodideModule(): string {
  const files = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new SvcError(
    'python_unavailable',
    `svc_pyodide.py is in none of ${files.join(', ')}. Install svc again.`,
  );
}
