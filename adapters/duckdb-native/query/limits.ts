import { busyError, cancelledError, deadlineError, type SvcError } from '../../../src/errors.ts';
import type { SqlCall } from '../../../src/ports.ts';
import { OVERLOADED } from '../../../src/sql/query.ts';

/** DuckDB forgets an interrupt that comes before a statement begins, so it is repeated. */
const INTERRUPT_EVERY_MS = 20;

/** The limits of one piece of work. */
export interface Limits {
  /** Throws if the work was stopped. */
  check(): void;
  /** Ends the time in the queue: a deadline from here on is `deadline_exceeded`, before it is `busy`. */
  begin(): void;
  /**
   * From here on the work can no longer be stopped. Throws if it was stopped before. With `overdue`, the call fails with
   * that error at its deadline, and the work ends when it can.
   */
  commit(overdue?: SvcError): void;
  /** After a failed commit: the work can be stopped again. Throws if it would have been stopped since. */
  rolledBack(): void;
  /** Calls `interrupt` repeatedly once the work is stopped, until the returned function is called. */
  onStop(interrupt: () => void): () => void;
}

/** Work with limits. `ended` resolves when the work has ended, which may be after its answer; it never rejects. */
export interface LimitedWork<T> {
  readonly answer: Promise<T>;
  readonly ended: Promise<void>;
}

/**
 * Runs work until its deadline or until the caller cancels. The caller gets the error at once; the work ends as soon as
 * the engine notices the interrupt.
 */
export function withinLimits<T>(
  { signal, timeoutMs }: Pick<SqlCall, 'signal' | 'timeoutMs'>,
  work: (limits: Limits) => Promise<T>,
): LimitedWork<T> {
  if (signal.aborted) return { answer: Promise.reject(cancelledError()), ended: Promise.resolve() };
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const limits = createLimits(reject);
  const cancel = (): void => limits.stop(cancelledError());
  const timer = setTimeout(() => limits.expire(timeoutMs), timeoutMs);
  signal.addEventListener('abort', cancel, { once: true });
  const working = work(limits);
  const answer = Promise.race([stopped, working]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  });
  return { answer, ended: working.then(ignore, ignore) };
}

/** The answer reports how the work ended. */
function ignore(): void {}

/** The limits, and the functions that enforce them. */
interface Stoppable extends Limits {
  stop(reason: SvcError): void;
  expire(timeoutMs: number): void;
}

function createLimits(stopped: (reason: SvcError) => void): Stoppable {
  const interrupts = new Set<() => void>();
  let reason: SvcError | null = null;
  let begun = false;
  let committed = false;
  let missed: SvcError | null = null;
  let unknown: SvcError | null = null;
  const check = (): void => {
    if (reason) throw reason;
  };
  const end = (error: SvcError): void => {
    if (reason) return;
    reason = error;
    stopped(error);
    repeatWhileAny(interrupts);
  };
  const stop = (error: SvcError): void => {
    if (committed) missed ??= error;
    else end(error);
  };
  return {
    check,
    stop,
    expire: (timeoutMs) => {
      if (committed && unknown !== null) end(unknown);
      else stop(begun ? deadlineError('The query', timeoutMs) : busyError(OVERLOADED));
    },
    begin: () => {
      begun = true;
    },
    commit: (overdue) => {
      check();
      committed = true;
      unknown = overdue ?? null;
    },
    rolledBack: () => {
      committed = false;
      if (missed) stop(missed);
      check();
    },
    onStop: (interrupt) => {
      interrupts.add(interrupt);
      return () => interrupts.delete(interrupt);
    },
  };
}

function repeatWhileAny(interrupts: ReadonlySet<() => void>): void {
  const timer = setInterval(interruptAll, INTERRUPT_EVERY_MS);
  interruptAll();
  function interruptAll(): void {
    if (interrupts.size === 0) clearInterval(timer);
    for (const interrupt of interrupts) interrupt();
  }
}
