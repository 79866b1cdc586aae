import { EngineReplaced } from '../errors.ts';

/** A turn that makes no progress for this long belongs to a request that has gone, in milliseconds. */
const STUCK_MS = 20_000;

/** Lets one call at a time into an engine, in the order of arrival. */
export class Turns {
  readonly #stuckMs: number;
  readonly #queue: (() => void)[] = [];
  #held = false;
  #progressAt = 0;

  constructor(stuckMs = STUCK_MS) {
    this.#stuckMs = stuckMs;
  }

  /**
   * Waits for a turn. Throws the reason with which `ended` rejects, and `EngineReplaced` if the call that has the turn
   * makes no progress: a platform may drop a request without running its `finally`.
   */
  async take(ended: Promise<never>): Promise<void> {
    if (!this.#held) {
      this.#held = true;
      this.progress();
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push(resolve);
    const watch = this.#watch();
    try {
      await Promise.race([promise, ended, watch.stuck]);
    } catch (thrown) {
      this.#leave(resolve);
      throw thrown;
    } finally {
      watch.stop();
    }
  }

  /** Gives the turn to the call that waits longest. */
  release(): void {
    this.progress();
    const next = this.#queue.shift();
    if (next === undefined) this.#held = false;
    else next();
  }

  /** Notes that the call which has the turn goes on. */
  progress(): void {
    this.#progressAt = Date.now();
  }

  #leave(resolve: () => void): void {
    const at = this.#queue.indexOf(resolve);
    // A call that just got the turn passes it on.
    if (at === -1) this.release();
    else this.#queue.splice(at, 1);
  }

  /** Each waiting call has its own timer, because a timer ends with the request that set it. */
  #watch(): { readonly stuck: Promise<never>; stop(): void } {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stuck = new Promise<never>((_, reject) => {
      const check = (): void => {
        const left = this.#progressAt + this.#stuckMs - Date.now();
        if (left > 0) timer = setTimeout(check, left);
        else reject(new EngineReplaced());
      };
      check();
    });
    return { stuck, stop: () => clearTimeout(timer) };
  }
}
