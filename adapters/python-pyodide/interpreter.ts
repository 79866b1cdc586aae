import { loadInterpreter, type PyodideFiles, type PyodideStartOptions, writeModules } from './load.ts';
import type { Pyodide } from './pyodide.ts';

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
