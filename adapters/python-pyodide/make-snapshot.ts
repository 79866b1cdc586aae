import { compilePyodide, loadParts } from './files.ts';
import { loadInterpreter } from './load.ts';
import { writeModules } from './modules.ts';

/** What a snapshot is made from; the same gives the same bytes. */
export interface SnapshotInput {
  /** The folder with Pyodide's files. */
  readonly pyodide: string;
  /** Python modules of ours that are in it, imported: path in `site-packages` -> text. */
  readonly modules: { readonly [path: string]: string };
  /** Python that imports what most calls need. */
  readonly imports: string;
  readonly hashSeed: number;
  /** For where JavaScript can be waited for; others cannot load it. */
  readonly suspending: boolean;
}

/** Starts an interpreter from the beginning and copies its memory. Time stands still meanwhile: give it a thread of its own. */
export async function makeSnapshot(input: SnapshotInput): Promise<Uint8Array> {
  const folder = new URL(input.pyodide);
  const parts = await loadParts(folder, await compilePyodide(folder));
  const still = Date.UTC(2026, 0, 1);
  Date.now = () => still;
  const python = await loadInterpreter(parts, {
    snapshot: null,
    still: true,
    memoryMb: 1024,
    hashSeed: input.hashSeed,
  });
  writeModules(python, input.modules);
  python.runPython(input.imports);
  return python.makeMemorySnapshot();
}
