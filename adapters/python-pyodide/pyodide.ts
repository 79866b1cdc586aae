/* The parts of Pyodide that are used here; it is loaded from its own files, so its types are ours to name. */

/** A Python function as JavaScript may call it. */
export type PyodideFunction = (...args: readonly unknown[]) => unknown;

/** A loaded interpreter. */
export interface Pyodide {
  runPython(code: string): unknown;
  pyimport(module: string): unknown;
  setStdin(options: { readonly stdin: () => null }): void;
  setStdout(options: { readonly batched: (line: string) => void }): void;
  setStderr(options: { readonly batched: (line: string) => void }): void;
  /** Its first element is a signal for Python, which looks at it while it runs. */
  setInterruptBuffer(signals: { 0: number }): void;
  makeMemorySnapshot(): Uint8Array;
  mountNodeFS(mountPoint: string, folder: string): void;
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, content: string | Uint8Array): void;
  };
}

/** What the glue asks of its host: functions by name, the memory among what comes back. */
export type WasmImports = { readonly [module: string]: Record<string, unknown> };

/** What Pyodide hands to its glue. */
export interface GlueSettings {
  instantiateWasm(
    imports: WasmImports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
  readonly [setting: string]: unknown;
}

/** The glue: `pyodide.asm.mjs`. */
export type CreateModule = (settings: GlueSettings) => Promise<unknown>;

/** `loadPyodide` with the options that are used here. */
export type LoadPyodide = (options: {
  readonly indexURL: string;
  readonly lockFileContents: object;
  readonly packageBaseUrl: string;
  readonly env: { readonly [name: string]: string };
  readonly jsglobals: object;
  readonly createPyodideModule: CreateModule;
  readonly _sysExecutable: string;
  readonly _makeSnapshot?: boolean;
  readonly _loadSnapshot?: Uint8Array;
}) => Promise<Pyodide>;

/** The release all of this was made for: its snapshots, its tables and its imports are of no other. */
export const PYODIDE_VERSION = '314.0.7';

/** The only fact of Pyodide's lock file that it reads when it starts; with no packages, it never asks its CDN for one. */
export const LOCK_FILE = {
  info: {
    abi_version: '2026_0',
    arch: 'wasm32',
    platform: 'emscripten_5_0_3',
    python: '3.14.2',
    version: PYODIDE_VERSION,
  },
  packages: {},
} as const;
