import { rmSync } from 'node:fs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Deletes unfinished files if a signal ends the process before the returned function is called. The process then ends
 * by the same signal at once, because running DuckDB work would delay `process.exit`.
 */
export function deleteOnSignal(paths: readonly string[]): () => void {
  const end = (signal: NodeJS.Signals): void => {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}

/** Calls `stop` before any other handler of a signal that ends the process, until the returned function is called. */
export function stopOnSignal(stop: () => void): () => void {
  for (const signal of SIGNALS) process.prependListener(signal, stop);
  return () => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
}
