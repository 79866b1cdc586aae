import type { HostModules } from './interpreter.ts';

/** What a thread is started with. */
export interface ThreadSetup {
  /** The folder with Pyodide's files, as a URL. */
  readonly pyodide: string;
  readonly wasm: WebAssembly.Module;
  /** The file with the snapshot, as a URL; null: from the beginning. */
  readonly snapshot: string | null;
  readonly modules: HostModules;
  readonly memoryMb: number;
  /** The project's folder, and where Python sees it. */
  readonly root: string;
  readonly mount: string;
  /** Counts what was posted to the thread, and wakes it. */
  readonly posted: Int32Array<SharedArrayBuffer>;
}

/** What a thread says. */
export type FromThread =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly line: string };
