import { SvcError } from '../../../src/errors.ts';

/** How long one call may go on: until its time is over, or its caller is gone. */
export interface Limit {
  /** Rejects when it is over; never settles otherwise. */
  readonly over: Promise<never>;
  /** From here on it does not wait for its turn any more. */
  begin(): void;
  /** It waits for its turn after all. */
  wait(): void;
  end(): void;
}

/** What a limit says when it is over. */
export interface LimitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** What takes too long: `The function total`. */
  readonly subject: string;
}

/** Counts from now on; whoever makes a limit ends it. */
export function createLimit({ timeoutMs, signal, subject }: LimitOptions): Limit {
  const { promise, reject } = Promise.withResolvers<never>();
  // Nobody may be waiting for it.
  promise.catch(() => {});
  let running = false;
  const seconds = timeoutMs / 1000;
  const onTime = () => reject(running ? tooLong(subject, seconds) : tooBusy(seconds));
  const onAbort = () => reject(new SvcError('cancelled', 'The call was cancelled.'));
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

function tooLong(subject: string, seconds: number): SvcError {
  return new SvcError('deadline_exceeded', `${subject} took longer than the ${seconds} s that it may.`);
}

function tooBusy(seconds: number): SvcError {
  return new SvcError('busy', `All Python processes were busy for ${seconds} s; try again.`);
}
