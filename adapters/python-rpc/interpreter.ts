import { type HostModules, OWN_PATH } from '../python-pyodide/interpreter.ts';
import { loadInterpreter, type PyodideParts } from '../python-pyodide/load.ts';
import { writeModules } from '../python-pyodide/modules.ts';
import type { Pyodide } from '../python-pyodide/pyodide.ts';

/** Answers a text of Python's, later. */
export type Ask = (text: string) => Promise<string>;

/** An interpreter whose questions are answered later, by whoever called it. */
export interface SuspendingInterpreter {
  handle(text: string, ask: Ask): Promise<string>;
  readonly python: Pyodide;
}

interface SuspendingHost {
  suspending(exchange: Ask): Promising;
}

interface Promising {
  callPromising(text: string): Promise<string>;
}

/** Starts an interpreter where JavaScript can be waited for (WebAssembly.Suspending). */
export async function openSuspending(
  parts: PyodideParts,
  options: { readonly snapshot: Uint8Array; readonly modules: HostModules; readonly memoryMb: number },
): Promise<SuspendingInterpreter> {
  let answer: Ask = async () => '{"error":{"code":"cancelled","message":"The call is over."}}';
  const python = await loadInterpreter(parts, { ...options, still: false });
  writeModules(python, options.modules);
  python.runPython(OWN_PATH);
  const host = python.pyimport('svc_pyodide') as SuspendingHost;
  // Tasks of one function may ask at the same time, and the protocol is one of turns.
  let turn: Promise<unknown> = Promise.resolve();
  const dispatcher = host.suspending((text) => {
    const said = turn.then(() => answer(text));
    turn = said.catch(() => null);
    return said;
  });
  return {
    python,
    async handle(text, ask) {
      answer = ask;
      return dispatcher.callPromising(text);
    },
  };
}
