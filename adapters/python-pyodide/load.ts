import { type Confinement, confineImports } from './imports.ts';
import {
  type CreateModule,
  type GlueSettings,
  LOCK_FILE,
  type LoadPyodide,
  type Pyodide,
} from './pyodide.ts';

/** Pyodide's files, loaded and compiled. */
export interface PyodideFiles {
  readonly loadPyodide: LoadPyodide;
  readonly createModule: CreateModule;
  readonly wasm: WebAssembly.Module;
  /** The folder of `python_stdlib.zip`. */
  readonly indexURL: string;
}

/** Options for the start of an interpreter. */
export interface PyodideStartOptions extends Confinement {
  /**
   * The memory of an interpreter that has started; null for a start without it, which takes five times as long.
   */
  readonly snapshot: Uint8Array | null;
  /** The seed of Python's hashes. A snapshot has its own. */
  readonly hashSeed?: number;
}

/** Starts an interpreter that has no access to the process it runs in. */
export async function loadInterpreter(parts: PyodideFiles, options: PyodideStartOptions): Promise<Pyodide> {
  const { snapshot, still, hashSeed } = options;
  const python = await parts.loadPyodide({
    indexURL: parts.indexURL,
    lockFileContents: LOCK_FILE,
    packageBaseUrl: '/nowhere/',
    env: { HOME: '/home/pyodide', ...(hashSeed === undefined ? {} : { PYTHONHASHSEED: String(hashSeed) }) },
    jsglobals: { Object },
    createPyodideModule: confined(parts, options),
    _sysExecutable: 'python3',
    ...(still ? { _makeSnapshot: true } : {}),
    ...(snapshot === null ? {} : { _loadSnapshot: snapshot }),
  });
  // All interpreters of a snapshot would share its random state.
  if (snapshot !== null) python.runPython('import random; random.seed()');
  return python;
}

function confined({ createModule, wasm }: PyodideFiles, confinement: Confinement): CreateModule {
  return (settings: GlueSettings) =>
    createModule({
      ...settings,
      instantiateWasm: (imports, done) => {
        let started: WebAssembly.Instance | undefined;
        const memory = (): DataView => viewOf(started);
        const own = confineImports(imports, memory, confinement) as WebAssembly.Imports;
        void WebAssembly.instantiate(wasm, own).then((instance) => {
          started = instance;
          done(instance, wasm);
        });
        return {};
      },
    });
}

function viewOf(instance: WebAssembly.Instance | undefined): DataView {
  const memory = instance?.exports.memory;
  if (!(memory instanceof WebAssembly.Memory)) throw new TypeError('Python has no memory yet');
  return new DataView(memory.buffer);
}
