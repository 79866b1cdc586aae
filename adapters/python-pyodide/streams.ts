import type { Pyodide } from './pyodide.ts';

/** Gives Python its three streams: nothing to read, and somebody who takes each line that it prints. */
export function connectStreams(python: Pyodide, print: (line: string) => void): void {
  python.setStdin({ stdin: () => null });
  python.setStdout({ batched: print });
  python.setStderr({ batched: print });
}
