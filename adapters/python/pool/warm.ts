import type { Runtime } from '../../../src/call/runtime.ts';
import { toSvcError } from '../../../src/errors.ts';

/** Loads what is served in Python; a server that cannot still serves the rest. */
export async function warmPython({ catalog, python, log }: Runtime): Promise<void> {
  const files = pythonFilesOf(catalog);
  if (files.length === 0 || python === undefined) return;
  try {
    await (await python()).warm?.(files);
  } catch (thrown) {
    log({ level: 'error', message: `Python endpoints cannot run: ${toSvcError(thrown).message}` });
  }
}

/** The files of what is served in Python, each once. */
export function pythonFilesOf({ tools, resources }: Runtime['catalog']): readonly string[] {
  const entries = [...Object.values(tools), ...Object.values(resources)];
  const files = entries.flatMap(({ source }) => (source.language === 'python' ? [source.file] : []));
  return [...new Set(files)];
}
