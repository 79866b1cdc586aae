import { busyError, cancelledError, deadlineError } from '../../../src/errors.ts';

/** The limit of one call: its time is over, or its caller has gone. */
export interface Limit {
  /** Rejects when the limit is reached; never settles otherwise. */
  readonly over: Promise<never>;
  /** The call runs from here on: reaching the limit is an exceeded deadline. */
  begin(): void;
  /** The call waits for its turn again: reaching the limit means that Python is busy. */
  wait(): void;
  end(): void;
}

/** Time and caller of a limit, and the subject of its error. */
export interface LimitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The subject of the error's sentence: `The function total`. */
  readonly subject: string;
}

/** Makes a limit that counts from now on; the caller must end it. */
export function createLimit({ timeoutMs, signal, subject }: LimitOptions): Limit {
  const { promise, reject } = Promise.withResolvers<never>();
  // A rejection that no code waits for must not end the process.
  promise.catch(() => {});
  let running = false;
  const onTime = () => reject(running ? deadlineError(subject, timeoutMs) : allBusy(timeoutMs));
  const onAbort = () => reject(cancelledError());
  const timer = setTimeout(onTime, timeoutMs);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    over: promise,
    begin() {
      running = true;
    },
    wait() {
      running = false;
    },
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

function allBusy(timeoutMs: number) {
  return busyError(`All Python processes were busy for ${timeoutMs} ms`);
}
