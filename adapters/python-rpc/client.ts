import { SvcError, toSvcError } from '../../src/errors.ts';
import type {
  Python,
  PythonCall,
  PythonHost,
  PythonRequest,
  PythonResult,
  PythonSettings,
} from '../../src/ports.ts';
import { createLimit } from '../python/limit.ts';
import { callFunction, loadFile, type PythonLine } from '../python/protocol.ts';
import type { Ask } from './interpreter.ts';

/** The Python Worker, as the platform binds it. */
export interface PythonBinding {
  exchange(message: string, ask: Ask): Promise<string>;
}

/** What answers Python. */
export interface RpcOptions {
  readonly settings: PythonSettings;
  /** Answers code that belongs to no call. */
  readonly background: PythonHost;
}

/** An isolate may be replaced between loading a file and calling it. */
const TRIES = 3;

/** Python in another Worker, called over RPC. */
export function createRpcPython(binding: PythonBinding, { settings, background }: RpcOptions): Python {
  const load = ({ file }: PythonRequest) => loadFile(lineTo(binding), file, { settings, host: background });
  const attempt = async (request: PythonRequest, host: PythonHost): Promise<PythonResult> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const result = await callFunction(lineTo(binding), request, { settings, host });
      if (result !== null) return result;
      await load(request);
    }
    throw new SvcError('python_unavailable', 'The Python Worker keeps being replaced.');
  };
  return {
    kind: 'rpc',
    async call(request, host, call: PythonCall) {
      const limit = createLimit({ ...call, subject: `The function ${request.name}` });
      limit.begin();
      try {
        return await Promise.race([attempt(request, host), limit.over]);
      } finally {
        limit.end();
      }
    },
    reload: async () => {},
    close: async () => {},
  };
}

/** One conversation: what Python asks comes in calls back, and its end as the answer. */
function lineTo(binding: PythonBinding): PythonLine {
  let said = Promise.withResolvers<string>();
  let reply: ((text: string) => void) | null = null;
  const ask: Ask = (text) =>
    new Promise((resolve) => {
      reply = resolve;
      said.resolve(text);
    });
  const begin = (text: string): void => {
    const ended = binding.exchange(text, ask);
    ended.then(
      (answer) => said.resolve(answer),
      (error) => said.reject(lost(error)),
    );
  };
  return {
    exchange(text) {
      said = Promise.withResolvers();
      if (reply === null) begin(text);
      else reply(text);
      return said.promise;
    },
  };
}

function lost(cause: unknown): SvcError {
  return new SvcError('python_failed', 'The Python Worker failed in the middle of the call.', {
    cause: toSvcError(cause),
  });
}
