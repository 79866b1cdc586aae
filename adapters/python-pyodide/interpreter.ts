import { loadInterpreter, type PyodideFiles, type PyodideStartOptions } from './load.ts';
import { writeModules } from './modules.ts';
import type { Pyodide } from './pyodide.ts';

/** Sends a text to the host and answers what it says; blocks Python meanwhile. */
export type HostCall = (text: string) => string;

/** An interpreter with the host's modules in it. */
export interface PyodideInterpreter {
  readonly python: Pyodide;
  /** Answers one message of the protocol; throws when the interpreter cannot go on. */
  handle(text: string): string;
}

/** The host's modules: path below `site-packages` -> text. */
export type HostModules = { readonly [path: string]: string };

/** What is imported before a snapshot is taken; `random` never, for it would give everyone the same numbers. */
export const PRELOADED = `
import svc_pyodide
svc_pyodide.install()
import svc.runtime, svc._dispatch, svc._loop
import asyncio, base64, collections, contextlib, csv, dataclasses, datetime, decimal, enum, functools, inspect, io
import itertools, json, math, re, string, textwrap, threading, traceback, types, typing, unicodedata, urllib.parse, uuid
`;

/** Pyodide looks for modules in its working folder first, which is nobody's. */
export const OWN_PATH = 'import sys\nsys.path[:] = [path for path in sys.path if path]';

/** Starts an interpreter and connects it. */
export async function openInterpreter(
  parts: PyodideFiles,
  options: PyodideStartOptions & { readonly modules: HostModules; readonly exchange: HostCall },
): Promise<PyodideInterpreter> {
  const python = await loadInterpreter(parts, options);
  writeModules(python, options.modules);
  // Pyodide looks for modules in its working folder first
  python.runPython(options.snapshot === null ? PRELOADED + OWN_PATH : OWN_PATH);
  const host = python.pyimport('svc_pyodide') as { dispatcher(exchange: HostCall): HostCall };
  const handle = host.dispatcher(options.exchange);
  return { python, handle };
}
