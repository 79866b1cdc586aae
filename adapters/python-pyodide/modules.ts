import type { Pyodide } from './pyodide.ts';

/** The folder for our modules inside an interpreter. */
const FOLDER = '/lib/python3.14/site-packages';

/** Writes modules to the folder where Python finds them. */
export function writeModules(python: Pyodide, modules: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(modules)) {
    const at = `${FOLDER}/${path}`;
    python.FS.mkdirTree(at.slice(0, at.lastIndexOf('/')));
    python.FS.writeFile(at, text);
  }
  // Python caches the contents of a folder by its modification time, which stands still in a snapshot.
  python.runPython('import importlib; importlib.invalidate_caches()');
}
