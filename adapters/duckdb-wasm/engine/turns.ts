import { EngineReplaced } from '../errors.ts';

/** An engine in which nothing goes on for this long waits for a request that has gone, in milliseconds. */
const STUCK_MS = 20_000;

/** Notices that nothing goes on in an engine: a platform may drop a request without running its `finally`. */
export class Watchdog {
  readonly #stuckMs: number;
  #progressAt = 0;

  constructor(stuckMs = STUCK_MS) {
    this.#stuckMs = stuckMs;
  }

  /** Notes that some call goes on. */
  progress(): void {
    this.#progressAt = Date.now();
  }

  /**
   * Waits for another call. Throws the reason with which `ended` rejects, and `EngineReplaced` once nothing goes on. Each
   * waiting call has its own timer, because a timer ends with the request that set it.
   */
  async wait(other: Promise<void>, ended: Promise<never>): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stuck = new Promise<never>((_, reject) => {
      const check = (): void => {
        const left = this.#progressAt + this.#stuckMs - Date.now();
        if (left > 0) timer = setTimeout(check, left);
        else reject(new EngineReplaced());
      };
      check();
    });
    try {
      await Promise.race([other, ended, stuck]);
    } finally {
      clearTimeout(timer);
    }
  }
}

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
