import { SvcError, toSvcError } from '../../../src/errors.ts';
import type { Clock, Log } from '../../../src/ports.ts';

/** The part of `/status` about reloads (spec, "Admin API"). */
export interface ReloadStatus {
  readonly in_progress: boolean;
  readonly last_reload: string | null;
  readonly last_reload_status: 'success' | 'error' | null;
  readonly last_reload_error: string | null;
}

/** A requested reload. */
export interface Reload {
  readonly id: string;
  /** Resolves when the reload has succeeded or failed; never rejects. */
  readonly done: Promise<void>;
}

/** Runs reloads one after the other. */
export interface Reloader {
  request(): Reload;
  status(): ReloadStatus;
}

/** The work of a reload, its limits and its log. */
export interface ReloaderOptions {
  /** Applies the new values, or throws and leaves the old ones in use, also when the signal aborts. */
  readonly apply: (signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds until a reload counts as failed (spec, "Limits"). Default: 60,000. */
  readonly boundMs?: number;
}

const BOUND_MS = 60_000;

type LastReload = Omit<ReloadStatus, 'in_progress'>;

const NEVER: LastReload = { last_reload: null, last_reload_status: null, last_reload_error: null };

/** Creates a reloader. A failed reload is logged and changes nothing (spec, "Errors"). */
export function createReloader({ apply, log, clock, boundMs = BOUND_MS }: ReloaderOptions): Reloader {
  let waiting = 0;
  let last = NEVER;
  let previous = Promise.resolve();
  /** Settles when the work of the previous reload has ended, which may be long after its time limit. */
  let ended: Promise<unknown> = Promise.resolve();
  const run = async (id: string) => {
    const limit = startLimit(boundMs);
    const work = ended.then(() => applyBefore(limit.signal));
    ended = work.catch(() => {});
    const error = await Promise.race([work, limit.over]).then(() => null, toSvcError);
    limit.end();
    last = toLastReload(error, clock);
    waiting -= 1;
    report(log, id, error);
  };
  const applyBefore = async (signal: AbortSignal) => {
    signal.throwIfAborted();
    await apply(signal);
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

function toLastReload(error: SvcError | null, clock: Clock): LastReload {
  return {
    last_reload: new Date(clock.now()).toISOString(),
    last_reload_status: error === null ? 'success' : 'error',
    last_reload_error: error?.message ?? null,
  };
}

function report(log: Log, id: string, error: SvcError | null): void {
  const fields = { reload_request_id: id };
  if (error === null) log({ level: 'info', message: 'reloaded', fields });
  else log({ level: 'error', message: `the reload failed, the old values stay: ${error.message}`, fields });
}

/** The time limit of one reload. `over` rejects and the signal aborts when it has passed. */
function startLimit(ms: number) {
  const late = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new SvcError('deadline_exceeded', `It took over ${ms / 1000} s.`);
    late.abort(error);
    reject(error);
  }, ms);
  return { signal: late.signal, over, end: () => clearTimeout(timer) };
}
