import { type Confinement, confineImports } from './imports.ts';
import {
  type CreateModule,
  type GlueSettings,
  LOCK_FILE,
  type LoadPyodide,
  type Pyodide,
} from './pyodide.ts';

/** Pyodide's files, loaded and compiled. */
export interface PyodideFiles {
  readonly loadPyodide: LoadPyodide;
  readonly createModule: CreateModule;
  readonly wasm: WebAssembly.Module;
  /** The folder of `python_stdlib.zip`. */
  readonly indexURL: string;
}

/** Options for the start of an interpreter. */
interface PyodideStartOptions extends Confinement {
  /**
   * The memory of an interpreter that has started; null for a start without it, which takes five times as long.
   */
  readonly snapshot: Uint8Array | null;
  /** The seed of Python's hashes. A snapshot has its own. */
  readonly hashSeed?: number;
}

/** Starts an interpreter that has no access to the process it runs in. */
export async function loadInterpreter(parts: PyodideFiles, options: PyodideStartOptions): Promise<Pyodide> {
  const { snapshot, still, hashSeed } = options;
  const seed = hashSeed === undefined ? {} : { PYTHONHASHSEED: String(hashSeed) };
  const python = await parts.loadPyodide({
    indexURL: parts.indexURL,
    lockFileContents: LOCK_FILE,
    packageBaseUrl: '/nowhere/',
    // Otherwise LANG is the language of the machine, and snapshots differ.
    env: { HOME: '/home/pyodide', LANG: 'en_US.UTF-8', ...seed },
    jsglobals: { Object },
    createPyodideModule: confined(parts, options),
    _sysExecutable: 'python3',
    ...(still ? { _makeSnapshot: true } : {}),
    ...(snapshot === null ? {} : { _loadSnapshot: snapshot }),
  });
  // All interpreters of a snapshot would share its random state.
  if (snapshot !== null) python.runPython('import random; random.seed()');
  return python;
}

function confined({ createModule, wasm }: PyodideFiles, confinement: Confinement): CreateModule {
  return (settings: GlueSettings) =>
    createModule({
      ...settings,
      instantiateWasm: (imports, done) => {
        let started: WebAssembly.Instance | undefined;
        const memory = (): DataView => viewOf(started);
        const own = confineImports(imports, memory, confinement) as WebAssembly.Imports;
        void WebAssembly.instantiate(wasm, own).then((instance) => {
          started = instance;
          done(instance, wasm);
        });
        return {};
      },
    });
}

function viewOf(instance: WebAssembly.Instance | undefined): DataView {
  const memory = instance?.exports.memory;
  if (!(memory instanceof WebAssembly.Memory)) throw new TypeError('Python has no memory yet');
  return new DataView(memory.buffer);
}

/** Connects Python's streams: stdin is empty, and each line of stdout and stderr goes to `print`. */
export function connectStreams(python: Pyodide, print: (line: string) => void): void {
  python.setStdin({ stdin: () => null });
  python.setStdout({ batched: print });
  python.setStderr({ batched: print });
}

/** The folder for our modules inside an interpreter. */
const FOLDER = '/lib/python3.14/site-packages';

/** Writes modules to the folder where Python finds them. */
export function writeModules(python: Pyodide, modules: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(modules)) {
    const at = `${FOLDER}/${path}`;
    python.FS.mkdirTree(at.slice(0, at.lastIndexOf('/')));
    python.FS.writeFile(at, text);
  }
  // Python caches the contents of a folder by its modification time, which stands still in a snapshot.
  python.runPython('import importlib; importlib.invalidate_caches()');
}

/** Sends a text to the host and returns its answer. Python is blocked meanwhile. */
export type HostCall = (text: string) => string;

/** An interpreter with the host's modules in it. */
export interface PyodideInterpreter {
  readonly python: Pyodide;
  /** Answers one message of the protocol. Throws if the interpreter cannot continue. */
  handle(text: string): string;
}

/** The texts of the host's modules, by their path below `site-packages`. */
export type HostModules = { readonly [path: string]: string };

/**
 * The imports of a snapshot. `random` must not be one of them: all interpreters would produce the same numbers.
 */
export const PRELOADED = `
import svc_pyodide
svc_pyodide.install()
import svc.runtime, svc._dispatch, svc._loop
import asyncio, base64, collections, contextlib, csv, dataclasses, datetime, decimal, enum, functools, inspect, io
import itertools, json, math, re, string, textwrap, threading, traceback, types, typing, unicodedata, urllib.parse, uuid
`;

/** Removes Pyodide's working folder, which it searches for modules first. */
export const OWN_PATH = 'import sys\nsys.path[:] = [path for path in sys.path if path]';

/** Starts an interpreter with the host's modules and connects it to the host. */
export async function openInterpreter(
  parts: PyodideFiles,
  options: PyodideStartOptions & { readonly modules: HostModules; readonly exchange: HostCall },
): Promise<PyodideInterpreter> {
  const python = await loadInterpreter(parts, options);
  writeModules(python, options.modules);
  python.runPython(options.snapshot === null ? PRELOADED + OWN_PATH : OWN_PATH);
  const host = python.pyimport('svc_pyodide') as { dispatcher(exchange: HostCall): HostCall };
  const handle = host.dispatcher(options.exchange);
  return { python, handle };
}
