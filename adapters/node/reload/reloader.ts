import { SvcError, toSvcError } from '../../../src/errors.ts';
import type { Clock, Log } from '../../../src/ports.ts';

/** What `/status` says of reloads (spec, "Admin API"). */
export interface ReloadStatus {
  readonly in_progress: boolean;
  readonly last_reload: string | null;
  readonly last_reload_status: 'success' | 'error' | null;
  readonly last_reload_error: string | null;
}

/** One reload that was asked for. */
export interface Reload {
  readonly id: string;
  /** Settles when it has ended, whether it succeeded or not. */
  readonly done: Promise<void>;
}

/** Reloads, one after the other. */
export interface Reloader {
  request(): Reload;
  status(): ReloadStatus;
}

/** What a reload does and who is told. */
export interface ReloaderOptions {
  /** Takes the new values, or throws and leaves the old ones in use, as it does when it is too late for them. */
  readonly apply: (signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds until a reload counts as failed (spec, "Limits"). */
  readonly boundMs?: number;
}

const BOUND_MS = 60_000;

/** A failed reload is reported and changes nothing (spec, "Errors"). */
export function createReloader({ apply, log, clock, boundMs = BOUND_MS }: ReloaderOptions): Reloader {
  let waiting = 0;
  let last: Omit<ReloadStatus, 'in_progress'> = {
    last_reload: null,
    last_reload_status: null,
    last_reload_error: null,
  };
  let previous = Promise.resolve();
  // one that is too late may take its time to end, and none begins before that
  let ended: Promise<unknown> = Promise.resolve();
  const applyNext = (signal: AbortSignal) => {
    const work = ended.then(() => {
      signal.throwIfAborted();
      return apply(signal);
    });
    ended = work.catch(() => {});
    return work;
  };
  const run = async (id: string) => {
    const error = await within(boundMs, applyNext).then(() => null, toSvcError);
    waiting -= 1;
    last = {
      last_reload: new Date(clock.now()).toISOString(),
      last_reload_status: error === null ? 'success' : 'error',
      last_reload_error: error?.message ?? null,
    };
    const fields = { reload_request_id: id };
    if (error === null) log({ level: 'info', message: 'reloaded', fields });
    else log({ level: 'error', message: `the reload failed, the old values stay: ${error.message}`, fields });
  };
  return {
    request() {
      const id = crypto.randomUUID();
      waiting += 1;
      previous = previous.then(() => run(id));
      return { id, done: previous };
    },
    status: () => ({ in_progress: waiting > 0, ...last }),
  };
}

async function within(ms: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const late = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new SvcError('deadline_exceeded', `It took over ${ms / 1000} s.`);
    late.abort(error);
    reject(error);
  }, ms);
  await Promise.race([work(late.signal), over]).finally(() => clearTimeout(timer));
}
