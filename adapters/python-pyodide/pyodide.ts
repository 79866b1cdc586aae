/* Types for the parts of Pyodide that we use. It is loaded from its own files at run time, so we declare them here. */

/** A loaded interpreter. */
export interface Pyodide {
  runPython(code: string): unknown;
  pyimport(module: string): unknown;
  setStdin(options: { readonly stdin: () => null }): void;
  setStdout(options: { readonly batched: (line: string) => void }): void;
  setStderr(options: { readonly batched: (line: string) => void }): void;
  /** Sets the buffer whose first element is a signal. Python checks it while it runs. */
  setInterruptBuffer(signals: { 0: number }): void;
  makeMemorySnapshot(): Uint8Array;
  mountNodeFS(mountPoint: string, folder: string): void;
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, content: string | Uint8Array): void;
  };
}

/** The imports of Python's WebAssembly module: functions by module and name. */
export type WasmImports = { readonly [module: string]: Record<string, unknown> };

/** The settings that Pyodide passes to `pyodide.asm.mjs`. */
export interface GlueSettings {
  instantiateWasm(
    imports: WasmImports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
  readonly [setting: string]: unknown;
}

/** The default export of `pyodide.asm.mjs`. */
export type CreateModule = (settings: GlueSettings) => Promise<unknown>;

/** The function `loadPyodide` with the options that we use. */
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

/** The only supported release: snapshots, tables and imports differ between releases. */
export const PYODIDE_VERSION = '314.0.7';

/**
 * A lock file with the facts that Pyodide reads at its start. Without packages, Pyodide never contacts its CDN.
 */
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
