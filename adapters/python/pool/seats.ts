import { busyError, SvcError } from '../../../src/errors.ts';
import type { Limit } from './time-limit.ts';

/** What seats are made and ended by. */
export interface SeatsOptions<S> {
  /** Seats at most, and calls that may wait for one. */
  readonly size: number;
  readonly queue: number;
  readonly open: () => Promise<S>;
  readonly isUsable: (seat: S) => boolean;
  /** Never throws. */
  readonly close: (seat: S) => Promise<void>;
}

/** A bounded number of seats, opened as they are needed; the one that was used last is used next. */
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

  /** Whether nobody gets a seat any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Those that calls use now. */
  get busy(): ReadonlySet<S> {
    return this.#busy;
  }

  /** A seat for one call, which gives it back; throws busy where too many wait already. */
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

  /** Takes a seat back; one that cannot be used any more makes room for another. */
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

  /** Refuses whoever waits, closes what is idle now, and the rest when it is given back. */
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

  /** One that ended while nobody used it is passed over. */
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
        this.#seat(wanted, seat);
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
