import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { missingPart, PYODIDE_PART } from '../../adapters/optional-packages.ts';
import { hostFolder } from '../../adapters/python/host-folder.ts';
import { PYODIDE_FILES, pyodideFolder } from '../../adapters/python-pyodide/files.ts';
import { readHostModules } from '../../adapters/python-pyodide/host-modules.ts';
import { PYODIDE_VERSION } from '../../adapters/python-pyodide/pyodide.ts';
import { createSnapshot } from '../../adapters/python-pyodide/snapshot.ts';
import type { SvcError } from '../../src/errors.ts';
import type { Package } from '../sbom/packages.ts';
import type { Contents } from '../targets/target.ts';
import type { CarriedPython } from './carried-python.ts';

const LICENSE = new URL('../../adapters/python-pyodide/LICENSE.pyodide.txt', import.meta.url);

/** The folder of the project's Python in the artefact; paths in it are those of the project. */
const PROJECT_FOLDER = 'project';

/** All files that an artefact needs for Python endpoints. */
export async function pythonFiles(python: CarriedPython): Promise<Contents> {
  return { ...(await projectFiles(python)), ...(await pyodideFiles(python)) };
}

/** The project's Python and the host's modules. */
async function projectFiles({ files }: CarriedPython): Promise<Contents> {
  const own = [...files].map(([path, bytes]) => [`${PROJECT_FOLDER}/${path}`, bytes] as const);
  const host = Object.entries(await readHostModules()).map(
    ([path, text]) => [`python-host/${path}`, text] as const,
  );
  const child = await readFile(`${hostFolder()}child.py`, 'utf8');
  return { ...Object.fromEntries(own), ...Object.fromEntries(host), 'python-host/child.py': child };
}

/** The files of Pyodide, with a memory snapshot of a started one. The same project gives the same bytes. */
async function pyodideFiles(python: CarriedPython): Promise<Contents> {
  const folder = pyodideFolder();
  if (folder === null) throw missingPyodide();
  const texts = await Promise.all(
    PYODIDE_FILES.map(
      async (file) => [`pyodide/${file}`, await readFile(fileURLToPath(new URL(file, folder)))] as const,
    ),
  );
  const snapshot = await createSnapshot(folder, await readHostModules(), seedOf(python));
  return {
    ...Object.fromEntries(texts),
    'pyodide/snapshot.bin': snapshot,
    'pyodide/LICENSE.txt': await readFile(LICENSE, 'utf8'),
  };
}

/** Pyodide as a package of the bill of materials. It is copied, not bundled. */
export function pyodidePackage(): Package {
  const folder = pyodideFolder();
  if (folder === null) throw missingPyodide();
  const path = fileURLToPath(folder);
  return {
    name: 'pyodide',
    version: PYODIDE_VERSION,
    license: 'MPL-2.0 AND PSF-2.0',
    folder: path,
    text: readFileSync(LICENSE, 'utf8'),
    imports: [],
  };
}

/** A hash of all Python that is served. */
export function pythonHash({ files, folder }: CarriedPython): string {
  const hash = createHash('sha256').update(folder);
  for (const [path, bytes] of files) hash.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex');
}

/** The seed of Python's hashes. Each project has its own, so that attackers cannot predict collisions. */
export function seedOf(python: CarriedPython): number {
  return (Number.parseInt(pythonHash(python).slice(0, 8), 16) % 4_294_967_295) + 1;
}

/** The error for a missing package. */
export function missingPyodide(): SvcError {
  return missingPart({ ...PYODIDE_PART, subject: 'An artefact with Python endpoints' });
}
