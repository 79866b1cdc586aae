import { busyError, SvcError } from '../../../src/errors.ts';
import type { Limit } from './time-limit.ts';

/** Options of a pool's seats. A seat holds one interpreter. */
export interface SeatsOptions<S> {
  /** The maximum number of seats. */
  readonly size: number;
  /** The maximum number of calls that wait for a seat. */
  readonly queue: number;
  readonly open: () => Promise<S>;
  readonly isUsable: (seat: S) => boolean;
  /** Ends the interpreter; never throws. */
  readonly close: (seat: S) => Promise<void>;
}

/** A limited number of seats, opened as they are needed. The seat that was used last is used next. */
export class Seats<S> {
  readonly #options: SeatsOptions<S>;
  readonly #idle: S[] = [];
  readonly #busy = new Set<S>();
  readonly #waiting: PromiseWithResolvers<S>[] = [];
  readonly #drained = Promise.withResolvers<void>();
  #opening = 0;
  #closed = false;

  constructor(options: SeatsOptions<S>) {
    this.#options = options;
  }

  /** Whether `close` was called, so that calls get no more seats. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The seats that calls use now. */
  get busy(): ReadonlySet<S> {
    return this.#busy;
  }

  /** Takes a seat for one call, which must give it back. Throws `busy` if too many calls wait already. */
  async take(limit: Limit): Promise<S> {
    const wanted = this.#acquire();
    try {
      return await Promise.race([wanted.promise, limit.over]);
    } catch (thrown) {
      const place = this.#waiting.indexOf(wanted);
      if (place >= 0) this.#waiting.splice(place, 1);
      else wanted.promise.then((seat) => this.give(seat)).catch(() => {});
      throw thrown;
    }
  }

  /** Gives a seat back. One that is no longer usable is replaced when a call waits. */
  give(seat: S): void {
    if (this.#closed) {
      void this.#options.close(seat).then(() => this.#leave(seat));
      return;
    }
    this.#busy.delete(seat);
    if (this.#options.isUsable(seat)) this.#offer(seat);
    else this.#openForWaiting();
  }

  /** Adds a seat that was opened elsewhere. */
  add(seat: S): void {
    this.#offer(seat);
  }

  /**
   * Rejects waiting calls, closes idle seats now, busy ones when they are given back, and those that open when they are
   * open. Resolves when all are closed.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(ending());
    await Promise.all(this.#idle.splice(0).map((seat) => this.#options.close(seat)));
    this.#settle();
    await this.#drained.promise;
  }

  #acquire(): PromiseWithResolvers<S> {
    const wanted = Promise.withResolvers<S>();
    const seat = this.#nextIdle();
    if (this.#closed) wanted.reject(ending());
    else if (seat !== undefined) this.#seat(wanted, seat);
    else if (this.#count < this.#options.size) this.#open(wanted);
    else if (this.#waiting.length < this.#options.queue) this.#waiting.push(wanted);
    else wanted.reject(busyError('Too many calls wait for Python'));
    return wanted;
  }

  get #count(): number {
    return this.#idle.length + this.#busy.size + this.#opening;
  }

  /** Returns an idle seat and drops those whose interpreter has ended meanwhile. */
  #nextIdle(): S | undefined {
    for (let seat = this.#idle.pop(); seat !== undefined; seat = this.#idle.pop()) {
      if (this.#options.isUsable(seat)) return seat;
    }
    return undefined;
  }

  #seat({ resolve }: PromiseWithResolvers<S>, seat: S): void {
    this.#busy.add(seat);
    resolve(seat);
  }

  #offer(seat: S): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(seat);
    else this.#seat(next, seat);
  }

  #openForWaiting(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#open(next);
  }

  #open(wanted: PromiseWithResolvers<S>): void {
    this.#opening += 1;
    this.#options.open().then(
      (seat) => {
        this.#opening -= 1;
        this.#busy.add(seat);
        if (!this.#closed) return wanted.resolve(seat);
        // Work that began now could take longer than `close` may.
        wanted.reject(ending());
        this.give(seat);
      },
      (thrown) => {
        this.#opening -= 1;
        wanted.reject(thrown);
        this.#settle();
        this.#openForWaiting();
      },
    );
  }

  #leave(seat: S): void {
    this.#busy.delete(seat);
    this.#settle();
  }

  #settle(): void {
    if (this.#closed && this.#busy.size + this.#opening === 0) this.#drained.resolve();
  }
}

function ending(): SvcError {
  return new SvcError('python_unavailable', 'Python is ending.');
}
