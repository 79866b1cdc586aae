import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SvcError } from '../../src/errors.ts';
import type { PyodideFiles } from './interpreter.ts';
import { type CreateModule, type LoadPyodide, PYODIDE_VERSION } from './pyodide.ts';

/** The files of Pyodide's package that an interpreter needs. An artefact has them in `pyodide/`. */
export const PYODIDE_FILES = [
  'pyodide.mjs',
  'pyodide.asm.mjs',
  'pyodide.asm.wasm',
  'python_stdlib.zip',
] as const;

/**
 * Returns the folder with Pyodide's files: beside a bundle, or the installed package; null if there is neither.
 */
export function pyodideFolder(): URL | null {
  const beside = new URL('./pyodide/', import.meta.url);
  if (existsSync(new URL('pyodide.asm.wasm', beside))) return beside;
  try {
    return new URL('./', pathToFileURL(createRequire(import.meta.url).resolve('pyodide/package.json')));
  } catch {
    return null;
  }
}

/** Compiles Python's WebAssembly. All threads of a process share the module. */
export async function compilePyodide(folder: URL): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(new URL('pyodide.asm.wasm', folder)));
}

/** Loads Pyodide's JavaScript. Throws `python_unavailable` for any release but `PYODIDE_VERSION`. */
export async function loadParts(folder: URL, wasm: WebAssembly.Module): Promise<PyodideFiles> {
  const [api, glue] = await Promise.all([
    import(new URL('pyodide.mjs', folder).href),
    import(new URL('pyodide.asm.mjs', folder).href),
  ]);
  const { loadPyodide, version }: { loadPyodide: LoadPyodide; version: string } = api;
  if (version !== PYODIDE_VERSION) throw wrongVersion(version);
  const { default: createModule }: { default: CreateModule } = glue;
  return { loadPyodide, createModule, wasm, indexURL: fileURLToPath(folder) };
}

function wrongVersion(version: string): SvcError {
  return new SvcError(
    'python_unavailable',
    `Pyodide ${version} is installed, but Python endpoints need ${PYODIDE_VERSION}. Run \`npm install pyodide@${PYODIDE_VERSION}\`.`,
  );
}

/** Returns the address of a module beside another one: `.ts` in the repository, `.js` in the package. */
export function bundledFile(url: string, name: string): URL {
  return new URL(`./${name}${url.endsWith('.ts') ? '.ts' : '.js'}`, url);
}
