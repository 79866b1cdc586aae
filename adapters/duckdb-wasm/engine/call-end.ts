import { cancelledError, deadlineError } from '../../../src/errors.ts';
import type { SqlCall } from '../../../src/ports.ts';

/** The longest time that a timer takes, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Watches for the end of a call. */
export interface CallEnd {
  /** Rejects with the reason: the call's deadline, or its cancellation. */
  readonly ended: Promise<never>;
  /** Ends the watch. */
  stop(): void;
}

/** Watches a call that has some milliseconds left. */
export function watchEnd({ signal, timeoutMs }: SqlCall, leftMs = timeoutMs): CallEnd {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {});
  const cancel = (): void => reject(cancelledError());
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const late = (): void => reject(deadlineError('The query', timeoutMs));
  const timer = leftMs > LONGEST_MS ? undefined : setTimeout(late, leftMs);
  return {
    ended,
    stop() {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    },
  };
}
