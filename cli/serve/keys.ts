import { toSvcError } from '../../src/errors.ts';

/** A key of `svc dev` on a terminal. */
export interface DevelopmentKey {
  readonly key: string;
  /** The effect in a word or two, e.g. `run tests`. */
  readonly does: string;
  readonly press: () => Promise<unknown> | unknown;
}

/** The terminal that the keys come from. */
export type KeyInput = Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode' | 'resume' | 'pause' | 'on' | 'off'>;

const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';

/** Formats the keys on one line. */
export function toKeyLine(keys: readonly DevelopmentKey[]): string {
  return [...keys, { key: 'Ctrl-C', does: 'stop' }].map(({ key, does }) => `${key} ${does}`).join(' · ');
}

/** Listens to keys until the returned function is called. `fail` receives the text of an error. */
export function listenToKeys(
  keys: readonly DevelopmentKey[],
  input: KeyInput,
  fail: (message: string) => void,
): () => void {
  const press = async ({ press: work }: DevelopmentKey) => {
    try {
      await work();
    } catch (thrown) {
      fail(toSvcError(thrown).message);
    }
  };
  const onData = (chunk: Buffer) => {
    const text = chunk.toString();
    // Without its usual mode, the terminal sends these keys as text.
    if (text === CTRL_C) return void process.kill(process.pid, 'SIGINT');
    if (text === CTRL_Z) return void process.kill(process.pid, 'SIGTSTP');
    const found = keys.find(({ key }) => key === text);
    if (found !== undefined) void press(found);
  };
  const onContinue = () => input.setRawMode(true);
  input.setRawMode(true);
  input.resume();
  input.on('data', onData);
  process.on('SIGCONT', onContinue);
  return () => {
    input.off('data', onData);
    process.off('SIGCONT', onContinue);
    input.setRawMode(false);
    input.pause();
  };
}
