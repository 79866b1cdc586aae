import type { Runtime } from '../../../src/call/runtime.ts';
import { toSvcError } from '../../../src/errors.ts';

/**
 * Loads the files of all Python endpoints. A failure is logged, and the server still serves the other
 * endpoints.
 */
export async function warmPython({ catalog, python, log }: Runtime): Promise<void> {
  const files = pythonFilesOf(catalog);
  if (files.length === 0 || python === undefined) return;
  try {
    await (await python()).warm?.(files);
  } catch (thrown) {
    log({ level: 'error', message: `Python endpoints cannot run: ${toSvcError(thrown).message}` });
  }
}

/** Returns the files of all Python endpoints, each once. */
export function pythonFilesOf({ tools, resources }: Runtime['catalog']): readonly string[] {
  const entries = [...Object.values(tools), ...Object.values(resources)];
  const files = entries.flatMap(({ source }) => (source.language === 'python' ? [source.file] : []));
  return [...new Set(files)];
}
