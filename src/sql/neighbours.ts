import { SvcError } from '../errors.ts';

/** The limits of the statements in one engine. */
export interface NeighbourLimits {
  /** The most statements that are open at a time. Default: any number. */
  readonly most?: number;
  /** The longest time that new statements wait for one that runs once more, in milliseconds; it may be infinite. Default: 0. */
  readonly holdMs?: number;
  /**
   * The longest time that a second attempt waits to be alone, in milliseconds. Beside others it is not the last one: a
   * third one waits twice as long. Default: no limit.
   */
  readonly patienceMs?: number;
}

/** The choices of one statement. */
export interface NeighbourOptions {
  /** Receives a function that gives up the place of each attempt, for a statement that ends without its own code. */
  readonly onArrival?: (leave: () => void) => void;
  /** Waits for the statement's place. Throws if the statement ends before. */
  readonly wait?: (entered: Promise<void>) => Promise<void>;
  /** Whether the statement may run once more. */
  readonly mayRepeat?: () => boolean;
  /**
   * Frees memory that no statement holds, before a second attempt. `alone` says whether no other one runs. Returns whether
   * there was any: a statement that lacked memory although it was alone then runs once more, too.
   */
  readonly makeRoom?: (alone: boolean) => Promise<boolean>;
}

/** The place of one attempt: it waits for it, or runs. */
interface Place {
  /** Attempts that came later have greater numbers. */
  arrival: number;
  /** Whether it is a second attempt, which wants to be alone. */
  readonly lone: boolean;
  /** Whether it waits no more: for second attempts, or, if it is one, to be alone. */
  hurried: boolean;
  readonly entered: Promise<void>;
  readonly enter: () => void;
}

/**
 * The statements that run in one engine and share its memory. One that runs out of memory beside others runs once more
 * when those have ended, or beside them after a time, so that none fails only because of its neighbours. New statements wait for it, up to a time, so
 * that nobody holds up others by repeating a statement that needs too much.
 */
export class Neighbours {
  readonly #most: number;
  readonly #holdMs: number;
  readonly #patienceMs: number;
  readonly #open = new Set<Place>();
  /** The second attempt that runs. */
  #lone: Place | null = null;
  /** In the order of their arrival. */
  #queue: Place[] = [];
  #arrivals = 0;
  /** The number of attempts that began so far. */
  #begun = 0;

  constructor({
    most = Number.POSITIVE_INFINITY,
    holdMs = 0,
    patienceMs = Number.POSITIVE_INFINITY,
  }: NeighbourLimits = {}) {
    this.#most = most;
    this.#holdMs = holdMs;
    this.#patienceMs = patienceMs;
  }

  /** Runs a statement, once more if there may be more memory then. `attempt` throws at once if it was stopped. */
  async run<T>(attempt: () => Promise<T>, options: NeighbourOptions = {}): Promise<T> {
    const { mayRepeat = () => true, makeRoom } = options;
    const first = this.#arrive(false, options);
    if (!this.#open.has(first)) await this.#wait(first, options, this.#holdMs);
    const others = this.#open.size > 1;
    const begun = this.#begun;
    try {
      return await attempt();
    } catch (thrown) {
      if (!isFull(thrown) || !mayRepeat()) throw thrown;
      const alone = !others && begun === this.#begun;
      if (alone && makeRoom === undefined) throw thrown;
      this.#leave(first);
      return await this.#repeat(attempt, options, alone ? thrown : null);
    } finally {
      this.#leave(first);
    }
  }

  /**
   * Runs attempts until one has waited for all that were there before it, or throws the error of a first one that was alone
   * if there is not much more memory now.
   */
  async #repeat<T>(attempt: () => Promise<T>, options: NeighbourOptions, lone: SvcError | null): Promise<T> {
    const { makeRoom = async () => false, mayRepeat = () => true } = options;
    for (let patienceMs = this.#patienceMs; ; patienceMs *= 2) {
      const place = this.#arrive(true, options);
      if (!this.#open.has(place)) await this.#wait(place, options, patienceMs);
      const isLast = this.#isNext(place);
      try {
        const room = await makeRoom(this.#open.size === 1);
        if (lone !== null && !room) throw lone;
        return await attempt();
      } catch (thrown) {
        if (isLast || !isFull(thrown) || !mayRepeat()) throw thrown;
      } finally {
        this.#leave(place);
      }
    }
  }

  #arrive(lone: boolean, { onArrival }: NeighbourOptions): Place {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#arrivals += 1;
    const hurried = !lone && this.#holdMs <= 0;
    const place: Place = { arrival: this.#arrivals, lone, hurried, entered: promise, enter: resolve };
    this.#queue.push(place);
    onArrival?.(() => this.#leave(place));
    this.#admit();
    return place;
  }

  async #wait(
    place: Place,
    { wait = (entered) => entered }: NeighbourOptions,
    mostMs: number,
  ): Promise<void> {
    const timer = Number.isFinite(mostMs) ? setTimeout(() => this.#hurry(place), mostMs) : undefined;
    try {
      await wait(place.entered);
    } catch (thrown) {
      this.#leave(place);
      throw thrown;
    } finally {
      clearTimeout(timer);
    }
  }

  #hurry(place: Place): void {
    place.hurried = true;
    this.#admit();
  }

  /** Lets waiting attempts in, in the order of their arrival. */
  #admit(): void {
    let holds = this.#lone !== null;
    for (const place of [...this.#queue]) {
      if (this.#open.size >= this.#most) return;
      const enters = place.lone ? this.#lone === null && this.#isDue(place) : !holds || place.hurried;
      holds ||= place.lone;
      if (enters) this.#enter(place);
    }
  }

  #isDue(place: Place): boolean {
    return place.hurried || this.#isNext(place);
  }

  /** Whether all have ended that a second attempt waits for. */
  #isNext({ arrival }: Place): boolean {
    return [...this.#open].every((open) => open.arrival >= arrival);
  }

  #enter(place: Place): void {
    this.#queue.splice(this.#queue.indexOf(place), 1);
    this.#open.add(place);
    if (place.lone) this.#lone = place;
    this.#begun += 1;
    place.enter();
  }

  /** Ends an attempt, or the wait for its place. */
  #leave(place: Place): void {
    this.#queue = this.#queue.filter((other) => other !== place);
    this.#open.delete(place);
    if (this.#lone === place) {
      this.#lone = null;
      this.#defer();
    }
    this.#admit();
  }

  /** Lets the statements that came during a second attempt go before the next one. */
  #defer(): void {
    const lone = this.#queue.filter((place) => place.lone);
    this.#queue = [...this.#queue.filter((place) => !place.lone), ...lone];
    for (const place of lone) {
      this.#arrivals += 1;
      place.arrival = this.#arrivals;
    }
  }
}

/** Whether a statement ran out of memory. */
export function isFull(thrown: unknown): thrown is SvcError {
  return thrown instanceof SvcError && thrown.code === 'memory_exceeded';
}
