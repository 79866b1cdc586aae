import type { Log, PythonSettings } from '../../src/ports.ts';

/** A log for what Python prints: the values of secrets that were given to it are in no line. */
export function printedLog(log: Log, settings: PythonSettings): Log {
  return (line) => log({ ...line, message: settings.conceal?.(line.message) ?? line.message });
}
