import type { Pyodide } from './pyodide.ts';

/** Connects Python's streams: stdin is empty, and each line of stdout and stderr goes to `print`. */
export function connectStreams(python: Pyodide, print: (line: string) => void): void {
  python.setStdin({ stdin: () => null });
  python.setStdout({ batched: print });
  python.setStderr({ batched: print });
}
