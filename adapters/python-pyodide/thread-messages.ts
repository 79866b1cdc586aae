import type { HostModules } from './interpreter.ts';

/** The `workerData` of a thread. */
export interface ThreadSetup {
  /** The folder with Pyodide's files, as a URL. */
  readonly pyodide: string;
  readonly wasm: WebAssembly.Module;
  /** The file with the snapshot, as a URL; null for a start without one. */
  readonly snapshot: string | null;
  readonly modules: HostModules;
  readonly memoryMb: number;
  /** The project's folder. */
  readonly root: string;
  /** The path of this folder inside Python. */
  readonly mount: string;
  /** The number of messages that were posted to the thread. Its change wakes the thread. */
  readonly posted: Int32Array<SharedArrayBuffer>;
}

/** A message of a thread. */
export type FromThread =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly line: string };
