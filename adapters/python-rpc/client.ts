import { busyError, SvcError, toSvcError } from '../../src/errors.ts';
import type {
  Python,
  PythonCall,
  PythonHost,
  PythonRequest,
  PythonResult,
  PythonSettings,
} from '../../src/ports.ts';
import { createLimit, type Limit } from '../python/pool/time-limit.ts';
import { callFunction, loadFile, type PythonLine } from '../python/protocol/protocol.ts';
import { BUSY, LATE, type PythonBinding, type RpcRequest, type Turns } from './messages.ts';

/** The ports that answer Python's requests. */
export interface RpcOptions {
  readonly settings: PythonSettings;
  /** Answers requests of code outside of calls, such as `@on_init`. */
  readonly background: PythonHost;
}

/** Attempts per call: an isolate may be replaced between loading a file and calling its function. */
const TRIES = 3;

/** Creates the Python port over a second Worker, which is called over RPC. */
export function createRpcPython(binding: PythonBinding, { settings, background }: RpcOptions): Python {
  const attempt = async (request: PythonRequest, host: PythonHost, time: Time): Promise<PythonResult> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const result = await callFunction(lineTo(binding, time), request, { settings, host });
      if (result !== null) return result;
      await loadFile(lineTo(binding, time), request.file, { settings, host: background });
    }
    throw new SvcError(
      'python_unavailable',
      `The Python Worker was replaced ${TRIES} times during the call.`,
    );
  };
  return {
    kind: 'rpc',
    async call(request, host, call: PythonCall) {
      const limit = createLimit({ ...call, subject: `The function ${request.name}` });
      const time = { limit, until: Date.now() + call.timeoutMs };
      limit.begin();
      try {
        return await Promise.race([attempt(request, host, time), limit.over]);
      } finally {
        limit.end();
      }
    },
    close: async () => {},
  };
}

interface Time {
  readonly limit: Limit;
  readonly until: number;
}

/**
 * Creates a connection for one message. Python's requests arrive as calls back, its final answer as the result.
 */
function lineTo(binding: PythonBinding, { limit, until }: Time): PythonLine {
  let said = Promise.withResolvers<string>();
  let reply: ((text: string) => void) | null = null;
  const ask: RpcRequest = (text) => {
    const answer = Promise.withResolvers<string>();
    reply = answer.resolve;
    said.resolve(text);
    // A function whose caller has left must not wait for an answer that will never come.
    return Promise.race([answer.promise, limit.over]);
  };
  const turns: Turns = async (now) => limit[now]();
  const begin = async (text: string): Promise<string> => {
    const answer = await binding.exchange(text, ask, turns, until - Date.now());
    if (answer === BUSY) throw busyError('Too many calls wait for Python');
    // The Python Worker has the same limit, whose error is thrown here.
    return answer === LATE ? limit.over : answer;
  };
  return {
    exchange(text) {
      const current = Promise.withResolvers<string>();
      said = current;
      if (reply !== null) reply(text);
      else
        begin(text).then(
          (answer) => said.resolve(answer),
          (error) => said.reject(lost(error)),
        );
      return current.promise;
    },
  };
}

function lost(cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  return new SvcError('python_failed', 'The Python Worker failed in the middle of the call.', {
    cause: toSvcError(cause),
  });
}
