import { SvcError } from '../../../src/errors.ts';
import type { Watchdog } from './watchdog.ts';

/** A call that waits for places. */
interface Waiter {
  readonly places: number;
  readonly resolve: () => void;
}

/**
 * Limits the statements that are open in an engine, because they share its memory. A statement that runs out of memory
 * beside others runs once more without any, so that none fails because of its neighbours.
 */
export class Admission {
  readonly #most: number;
  readonly #watchdog: Watchdog;
  #queue: Waiter[] = [];
  #taken = 0;
  /** The number of calls that got places so far. */
  #admitted = 0;

  constructor(most: number, watchdog: Watchdog) {
    this.#most = most;
    this.#watchdog = watchdog;
  }

  /**
   * Runs a statement that only reads. Throws the reason with which `ended` rejects while the call waits for its place,
   * and `EngineReplaced` if nothing goes on in the engine meanwhile.
   */
  async run<T>(attempt: () => Promise<T>, ended: Promise<never>): Promise<T> {
    await this.#take(1, ended);
    const alone = this.#taken === 1;
    const admitted = this.#admitted;
    try {
      return await attempt();
    } catch (thrown) {
      const full = thrown instanceof SvcError && thrown.code === 'memory_exceeded';
      if (!full || (alone && admitted === this.#admitted)) throw thrown;
    } finally {
      this.#leave(1);
    }
    await this.#take(this.#most, ended);
    try {
      return await attempt();
    } finally {
      this.#leave(this.#most);
    }
  }

  async #take(places: number, ended: Promise<never>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { places, resolve };
    this.#queue.push(waiter);
    this.#admit();
    if (!this.#queue.includes(waiter)) return;
    try {
      await this.#watchdog.wait(promise, ended);
    } catch (thrown) {
      if (this.#queue.includes(waiter)) this.#queue = this.#queue.filter((other) => other !== waiter);
      else this.#taken -= places;
      this.#admit();
      throw thrown;
    }
  }

  /** Lets calls in, in the order of their arrival. */
  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (this.#taken + next.places > this.#most) return;
      this.#queue.shift();
      this.#taken += next.places;
      this.#admitted += 1;
      this.#watchdog.progress();
      next.resolve();
    }
  }

  #leave(places: number): void {
    this.#taken -= places;
    // Calls that came during a lone statement go before the next lone one.
    if (places === this.#most) this.#queue.sort((one, other) => one.places - other.places);
    this.#admit();
  }
}
