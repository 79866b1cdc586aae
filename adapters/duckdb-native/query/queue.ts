import { busyError, SvcError } from '../../../src/errors.ts';
import { OVERLOADED } from '../../../src/sql/query.ts';
import type { Limits } from './limits.ts';

/** The number of queries that run at a time, and of those that may wait. */
export interface QueueSize {
  readonly places: number;
  readonly waiting: number;
  /** The most pieces of stopped work that still run but no longer hold a place; none by default. */
  readonly abandoned?: number;
}

/** The time that stopped work has to end before it counts as abandoned. */
const ABANDONED_MS = 500;

/** Runs work as soon as there is a place; throws `busy` if too many wait already. */
export type RunQueued = <T>(work: () => Promise<T>, limits?: Limits) => Promise<T>;

/** Creates a bounded queue: first come, first served. Work that is stopped leaves the queue. */
export function createQueue({ places, waiting, abandoned = 0 }: QueueSize): RunQueued {
  const line = new Set<() => void>();
  let taken = 0;
  let left = 0;

  async function enter(limits: Limits | undefined): Promise<void> {
    if (taken >= places) return wait(limits);
    taken += 1;
  }

  async function wait(limits: Limits | undefined): Promise<void> {
    if (line.size >= waiting) throw busyError(OVERLOADED);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    line.add(resolve);
    const forget = limits?.onStop(() => {
      if (line.delete(resolve)) reject(new SvcError('cancelled', 'The call was ended while it waited.'));
    });
    await promise.finally(() => forget?.());
  }

  function leave(): void {
    const [next] = line;
    if (next === undefined) taken -= 1;
    else {
      line.delete(next);
      next();
    }
  }

  /** Gives the place to the next in line when the work was stopped some time ago and still runs. */
  function watch(limits: Limits | undefined): () => void {
    let stopped: number | null = null;
    let gone = false;
    const forget = limits?.onStop(() => {
      stopped ??= performance.now();
      if (gone || left >= abandoned || performance.now() - stopped < ABANDONED_MS) return;
      gone = true;
      left += 1;
      leave();
    });
    return () => {
      forget?.();
      if (gone) left -= 1;
      else leave();
    };
  }

  return async (work, limits) => {
    await enter(limits);
    const end = watch(limits);
    try {
      limits?.begin();
      return await work();
    } finally {
      end();
    }
  };
}
