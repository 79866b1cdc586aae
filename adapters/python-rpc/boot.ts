import { loadPyodide } from 'pyodide';
import createModule from 'pyodide/pyodide.asm.mjs';
import { startPython } from '../python/protocol/protocol.ts';
import { connectStreams } from '../python-pyodide/interpreter.ts';
import type { CreateModule, LoadPyodide } from '../python-pyodide/pyodide.ts';
import { openSuspending, type SuspendingInterpreter } from './interpreter.ts';
import { LATE } from './messages.ts';
import wasm from './pyodide.asm.wasm';
import { modules } from './tiny-modules.mjs';
import { supplyModules } from './tiny-modules.ts';

/** The files of the Python Worker: those of the project and the modules of the host. */
export interface CarriedProject {
  readonly files: { readonly [path: string]: string };
  readonly modules: { readonly [path: string]: string };
  readonly folder: string;
}

/** The assets binding, for files that are too large for a module. */
export interface PyodideAssets {
  fetch(url: string): Promise<Response>;
}

/** The address that Pyodide takes for its own. */
const HOME = 'http://pyodide/';
const MEMORY_MB = 64;

supplyModules(new Map(modules));

/** Starts the interpreter and prepares it for the project. It must run within a request. */
export async function boot(
  assets: PyodideAssets,
  project: CarriedProject,
  print: (text: string) => void,
): Promise<SuspendingInterpreter> {
  const [stdlib, snapshot] = await Promise.all([
    read(assets, 'python_stdlib.zip'),
    readPacked(assets, 'snapshot.bin.gz'),
  ]);
  const interpreter = await withoutNetwork(stdlib, () => {
    const parts = {
      loadPyodide: loadPyodide as unknown as LoadPyodide,
      createModule: createModule as CreateModule,
      wasm,
      indexURL: HOME,
    };
    return openSuspending(parts, { snapshot, modules: project.modules, memoryMb: MEMORY_MB });
  });
  connectStreams(interpreter.python, (line) => print(`${line}\n`));
  for (const [path, text] of Object.entries(project.files)) write(interpreter, `/project/${path}`, text);
  const line = {
    exchange: async (text: string) => (await interpreter.handle(text, async () => '{}')) ?? LATE,
  };
  await startPython(line, { root: '/project', folder: project.folder, follow: false });
  return interpreter;
}

/** Loads Pyodide with a `fetch` that returns its own files, which are here already. */
async function withoutNetwork<T>(stdlib: Uint8Array, load: () => Promise<T>): Promise<T> {
  const { fetch, location } = globalThis;
  Reflect.set(globalThis, 'location', new URL(HOME));
  Reflect.set(
    globalThis,
    'fetch',
    async (url: URL) => new Response(String(url).endsWith('.zip') ? (stdlib as BodyInit) : null),
  );
  try {
    return await load();
  } finally {
    Reflect.set(globalThis, 'fetch', fetch);
    Reflect.set(globalThis, 'location', location);
  }
}

function write({ python }: SuspendingInterpreter, path: string, text: string): void {
  python.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
  python.FS.writeFile(path, text);
}

async function read(assets: PyodideAssets, name: string): Promise<Uint8Array> {
  return new Uint8Array(await (await open(assets, name)).arrayBuffer());
}

async function readPacked(assets: PyodideAssets, name: string): Promise<Uint8Array> {
  const { body } = await open(assets, name);
  if (body === null) throw new Error(`${name} is empty`);
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

async function open(assets: PyodideAssets, name: string): Promise<Response> {
  const response = await assets.fetch(`http://assets/${name}`);
  if (response.ok) return response;
  throw new Error(`the asset ${name} is missing`);
}
