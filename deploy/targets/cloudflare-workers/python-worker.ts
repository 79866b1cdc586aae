import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Plugin } from 'esbuild';
import { gzipSync } from 'fflate';
import { pyodideFolder } from '../../../adapters/python-pyodide/files.ts';
import { readHostModules } from '../../../adapters/python-pyodide/host-modules.ts';
import { createSnapshot } from '../../../adapters/python-pyodide/snapshot.ts';
import { keyOf } from '../../../adapters/python-rpc/tiny-modules.ts';
import { SvcError } from '../../../src/errors.ts';
import { BUNDLED_FROM, loadBundler, sourceFile } from '../../bundle.ts';
import type { CarriedPython } from '../../python/carried-python.ts';
import { missingPyodide, seedOf } from '../../python/pyodide-files.ts';
import type { Contents, ProjectFacts } from '../target.ts';
import { pythonWranglerToml } from './wrangler.ts';

/** The folder of the second Worker. */
const FOLDER = 'python';

/**
 * The files of the Worker that runs Python endpoints: Pyodide, a snapshot, and the code that Pyodide would compile at
 * run time.
 */
export async function pythonWorkerFiles(python: CarriedPython, facts: ProjectFacts): Promise<Contents> {
  const folder = pyodideFolder();
  if (folder === null) throw missingPyodide();
  const modules = await readHostModules();
  const snapshot = await createSnapshot(folder, modules, seedOf(python), true);
  const tiny = await recordTinyModules(folder, snapshot);
  const files = {
    'index.js': await bundleWorker(tiny),
    'pyodide.asm.wasm': await read(folder, 'pyodide.asm.wasm'),
    'assets/python_stdlib.zip': await read(folder, 'python_stdlib.zip'),
    'assets/snapshot.bin.gz': gzipSync(snapshot, { level: 4, mtime: 0 }),
    'python.json': JSON.stringify({ files: readTexts(python), modules, folder: python.folder }),
    'wrangler.toml': pythonWranglerToml(facts),
    ...Object.fromEntries(tiny.map((bytes, index) => [`tiny/${index}.wasm`, bytes] as const)),
  };
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${FOLDER}/${path}`, content]));
}

/** Records the code that Pyodide compiles at run time. workerd accepts code only with the upload. */
export async function recordTinyModules(folder: URL, snapshot: Uint8Array): Promise<readonly Uint8Array[]> {
  const workerData = { pyodide: folder.href, snapshot, modules: await readHostModules() };
  const worker = new Worker(sourceFile('adapters/python-rpc/record-worker'), { workerData, env: {} });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the thread ended')));
    });
  } catch (cause) {
    const message = 'Python for Workers could not be prepared; it needs Node 24 or newer to build.';
    throw new SvcError('python_unavailable', message, { cause });
  } finally {
    await worker.terminate();
  }
}

async function bundleWorker(tiny: readonly Uint8Array[]): Promise<Uint8Array> {
  const { build } = await loadBundler();
  const { outputFiles } = await build({
    absWorkingDir: BUNDLED_FROM,
    entryPoints: [sourceFile('adapters/python-rpc/entry')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers', 'node:*', 'ws', '*.wasm', './python.json'],
    // otherwise Pyodide takes it for Node
    define: {
      process: 'undefined',
      'globalThis.process': 'undefined',
      'import.meta.url': '"http://pyodide/"',
    },
    plugins: [tinyModules(tiny)],
    charset: 'utf8',
    legalComments: 'eof',
    tsconfigRaw: '{}',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

function tinyModules(tiny: readonly Uint8Array[]): Plugin {
  const imports = tiny.map((_, index) => `import m${index} from './tiny/${index}.wasm';`).join('');
  const pairs = tiny.map((bytes, index) => `['${keyOf(bytes)}', m${index}]`).join(',');
  return {
    name: 'svc-tiny-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /tiny-modules\.mjs$/ }, () => ({ path: 'tiny', namespace: 'tiny' }));
      onLoad({ filter: /./, namespace: 'tiny' }, () => ({
        contents: `${imports}export const modules = [${pairs}];`,
      }));
    },
  };
}

/** The text files. Python in a Worker has no others, and decoding binary files would damage them. */
export function readTexts({ files }: Pick<CarriedPython, 'files'>): { readonly [path: string]: string } {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return Object.fromEntries(
    [...files].flatMap(([path, bytes]) => {
      try {
        return [[path, decoder.decode(bytes)] as const];
      } catch {
        return [];
      }
    }),
  );
}

function read(folder: URL, file: string): Promise<Uint8Array> {
  return readFile(fileURLToPath(new URL(file, folder)));
}
