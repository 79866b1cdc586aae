import type { Pyodide } from './pyodide.ts';

/** Where modules of ours lie in an interpreter. */
const FOLDER = '/lib/python3.14/site-packages';

/** Writes modules where Python finds them. */
export function writeModules(python: Pyodide, modules: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(modules)) {
    const at = `${FOLDER}/${path}`;
    python.FS.mkdirTree(at.slice(0, at.lastIndexOf('/')));
    python.FS.writeFile(at, text);
  }
  // Python remembers what a folder had by the folder's time, which a snapshot holds still
  python.runPython('import importlib; importlib.invalidate_caches()');
}
