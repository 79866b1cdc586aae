import { SvcError } from '../../../src/errors.ts';

/**
 * The statements that run in one engine and share its memory. One that runs out of memory beside others runs once more
 * when those have ended, so that none fails only because of its neighbours.
 */
export class Neighbours {
  readonly #running = new Set<Promise<unknown>>();
  /** The number of attempts that began so far. */
  #begun = 0;
  /** The last second attempt; they take turns. It never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs a statement, once more only if `mayRepeat` then allows it. `attempt` throws at once if the statement was stopped
   * while it waited.
   */
  async run<T>(attempt: () => Promise<T>, mayRepeat: () => boolean = () => true): Promise<T> {
    const alone = this.#running.size === 0;
    const first = this.#track(attempt);
    const begun = this.#begun;
    try {
      return await first;
    } catch (thrown) {
      const full = thrown instanceof SvcError && thrown.code === 'memory_exceeded';
      if (!full || !mayRepeat() || (alone && begun === this.#begun)) throw thrown;
    }
    const others = [...this.#running];
    const second = this.#last.then(() => Promise.allSettled(others)).then(() => this.#track(attempt));
    this.#last = second.then(ignore, ignore);
    return second;
  }

  async #track<T>(attempt: () => Promise<T>): Promise<T> {
    this.#begun += 1;
    const running = attempt();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}

/** Its caller gets the error. */
function ignore(): void {}
