import {
  type HostModules,
  loadInterpreter,
  OWN_PATH,
  type PyodideFiles,
  writeModules,
} from '../python-pyodide/interpreter.ts';
import type { Pyodide } from '../python-pyodide/pyodide.ts';
import type { RpcRequest } from './messages.ts';
import { createCurfew } from './time-limit.ts';

/** An interpreter that is suspended while its caller answers a request. */
export interface SuspendingInterpreter {
  /** Answers one message of the protocol; null if its time was over first. */
  handle(text: string, ask: RpcRequest, limitMs?: number): Promise<string | null>;
  readonly python: Pyodide;
}

interface SuspendingHost {
  suspending(exchange: RpcRequest): Promising;
  stop_waiting(): void;
}

interface Promising {
  callPromising(text: string): Promise<string>;
}

const CALL_IS_OVER = '{"error":{"code":"cancelled","message":"The call is over."}}';

/** Starts an interpreter in an engine with `WebAssembly.Suspending`, which lets Python wait for JavaScript. */
export async function openSuspending(
  parts: PyodideFiles,
  options: { readonly snapshot: Uint8Array; readonly modules: HostModules; readonly memoryMb: number },
): Promise<SuspendingInterpreter> {
  const python = await loadInterpreter(parts, { ...options, still: false });
  writeModules(python, options.modules);
  python.runPython(OWN_PATH);
  const host = python.pyimport('svc_pyodide') as SuspendingHost;
  const curfew = createCurfew();
  python.setInterruptBuffer(curfew.signals);
  let answer: RpcRequest = async () => CALL_IS_OVER;
  const dispatcher = host.suspending(inTurn(() => answer));
  return {
    python,
    async handle(text, ask, limitMs = Number.POSITIVE_INFINITY) {
      const over = Promise.withResolvers<string>();
      answer = (asked) => Promise.race([ask(asked), over.promise]);
      const strike = () => {
        curfew.strike();
        over.resolve(CALL_IS_OVER);
        host.stop_waiting();
      };
      curfew.begin(limitMs);
      const timer = Number.isFinite(limitMs) ? setTimeout(strike, limitMs) : undefined;
      try {
        const said = await dispatcher.callPromising(text);
        return curfew.over ? null : said;
      } catch (error) {
        if (curfew.over && isInterrupt(error)) return null;
        throw error;
      } finally {
        clearTimeout(timer);
        curfew.end();
      }
    },
  };
}

/** Queues the requests of concurrent tasks, because the protocol goes strictly in turns. */
function inTurn(current: () => RpcRequest): RpcRequest {
  let turn: Promise<unknown> = Promise.resolve();
  return (text) => {
    const ask = current();
    const said = turn.then(() => ask(text));
    turn = said.catch(() => null);
    return said;
  };
}

/** Returns whether the interrupt arrived after the function had ended, in the code that handles its result. */
function isInterrupt(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'type') === 'KeyboardInterrupt';
}
