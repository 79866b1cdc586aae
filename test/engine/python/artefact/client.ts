import { toSvcError } from '../../../../src/errors.ts';
import type { Python, PythonHost, PythonResult } from '../../../../src/ports.ts';
import type { Channel, FromArtefact, ToArtefact } from './messages.ts';
import { fromTold, toTold } from './serve.ts';

/** How calls reach an artefact that runs. */
export interface Reached {
  readonly kind: Python['kind'];
  connect(): Promise<Channel<ToArtefact, FromArtefact>>;
  close(): Promise<void>;
  /** Lines that the platform itself took. */
  printed?(): readonly string[];
}

/** The Python of an artefact, as the contract knows Python. */
export function createFarPython({
  kind,
  connect,
  close,
  printed,
}: Reached): Python & Pick<Reached, 'printed'> {
  return {
    kind,
    ...(printed === undefined ? {} : { printed }),
    async call(request, host, { signal, timeoutMs }) {
      const channel = await connect();
      const { promise, resolve, reject } = Promise.withResolvers<PythonResult>();
      channel.onMessage((message) => {
        if (message.op === 'done') resolve(message.result);
        else if (message.op === 'failed') reject(fromTold(message.error));
        else if (message.op !== 'log') void answer(message, host, channel);
      });
      const cancel = () => channel.send({ op: 'cancel' });
      // Before the call: a short one would have ended when the word arrives.
      if (signal.aborted) cancel();
      channel.send({ op: 'call', request, timeoutMs });
      signal.addEventListener('abort', cancel, { once: true });
      return promise;
    },
    close,
  };
}

async function answer(
  asked: Exclude<FromArtefact, { readonly op: 'done' | 'failed' | 'log' }>,
  host: PythonHost,
  channel: Channel<ToArtefact, FromArtefact>,
): Promise<void> {
  if (asked.op === 'notice') return host.notice(asked.level, asked.text);
  if (asked.op === 'progress') return host.progress(...asked.told);
  if (asked.op === 'event') return host.event(asked.event);
  const { id, sql, params } = asked;
  try {
    channel.send({ op: 'rows', id, rows: await host.execute(sql, params) });
  } catch (thrown) {
    channel.send({ op: 'refused', id, error: toTold(toSvcError(thrown)) });
  }
}
