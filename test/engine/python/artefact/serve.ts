import { SvcError, toSvcError } from '../../../../src/errors.ts';
import type { JsonObject } from '../../../../src/json.ts';
import type { Python, PythonHost } from '../../../../src/ports.ts';
import type { Channel, FromArtefact, ToArtefact, Told } from './messages.ts';

/** In the artefact: makes the call that a test asks for, and asks the test what the function asks. */
export function serveCall(open: () => Promise<Python>, channel: Channel<FromArtefact, ToArtefact>): void {
  const ended = new AbortController();
  const asked = new Map<number, PromiseWithResolvers<readonly JsonObject[]>>();
  const host: PythonHost = {
    execute(sql, params) {
      const answer = Promise.withResolvers<readonly JsonObject[]>();
      asked.set(asked.size, answer);
      channel.send({ op: 'execute', id: asked.size - 1, sql, params });
      return answer.promise;
    },
    notice: (level, text) => channel.send({ op: 'notice', level, text }),
    progress: (...told) => channel.send({ op: 'progress', told }),
    event: (event) => channel.send({ op: 'event', event }),
  };
  channel.onMessage((message) => {
    if (message.op === 'cancel') ended.abort();
    else if (message.op === 'rows') asked.get(message.id)?.resolve(message.rows);
    else if (message.op === 'refused') asked.get(message.id)?.reject(fromTold(message.error));
    else void call(message);
  });
  const call = async ({ request, timeoutMs }: Extract<ToArtefact, { op: 'call' }>): Promise<void> => {
    try {
      const python = await open();
      const result = await python.call(request, host, { signal: ended.signal, timeoutMs });
      channel.send({ op: 'done', result });
    } catch (thrown) {
      channel.send({ op: 'failed', error: toTold(thrown) });
    }
  };
}

/** What a test is told of an error. */
export function toTold(thrown: unknown): Told {
  const { code, message, cause } = toSvcError(thrown);
  return { code, message, cause: cause instanceof Error ? cause.message : '' };
}

/** The error that was told of. */
export function fromTold({ code, message, cause }: Told): SvcError {
  return new SvcError(code, message, cause === '' ? {} : { cause: new Error(cause) });
}
