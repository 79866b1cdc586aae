import type { Watchdog } from './watchdog.ts';

/** Lets one call at a time into an engine, in the order of arrival. */
export class Turns {
  readonly #watchdog: Watchdog;
  readonly #queue: (() => void)[] = [];
  #held = false;

  constructor(watchdog: Watchdog) {
    this.#watchdog = watchdog;
  }

  /**
   * Waits for a turn. Throws the reason with which `ended` rejects, and `EngineReplaced` if the call that has the turn
   * makes no progress.
   */
  async take(ended: Promise<never>): Promise<void> {
    if (!this.#held) {
      this.#held = true;
      this.#watchdog.progress();
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push(resolve);
    try {
      await this.#watchdog.wait(promise, ended);
    } catch (thrown) {
      this.#leave(resolve);
      throw thrown;
    }
  }

  /** Gives the turn to the call that waits longest. */
  release(): void {
    this.#watchdog.progress();
    const next = this.#queue.shift();
    if (next === undefined) this.#held = false;
    else next();
  }

  #leave(resolve: () => void): void {
    const at = this.#queue.indexOf(resolve);
    // A call that just got the turn passes it on.
    if (at === -1) this.release();
    else this.#queue.splice(at, 1);
  }
}
