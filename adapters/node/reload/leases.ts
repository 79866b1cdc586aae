import type { Lease, LeasedParts } from '../../../src/call/runtime.ts';
import { SvcError, toSvcError } from '../../../src/errors.ts';
import type { Log } from '../../../src/ports.ts';

/** The parts that one load of the configuration has opened. */
export interface Generation extends LeasedParts {
  close(): Promise<void>;
}

/** A generation with the number of requests that hold it. */
interface Held<G> {
  readonly generation: G;
  requests: number;
}

/**
 * Counts requests and keeps each on the generation that it began with. A generation that was replaced closes when
 * its last request ends.
 */
export class Leases<G extends Generation> {
  readonly #log: Log;
  #held: Held<G>;
  /** Replaced generations that requests still use. */
  readonly #replaced = new Set<Held<G>>();
  /** One for each running request; each ends its request with an error. */
  readonly #running = new Set<(reason: SvcError) => void>();
  readonly #closing = new Set<Promise<void>>();
  #onIdle: () => void = () => {};
  #closed = false;

  constructor(first: G, log: Log) {
    this.#held = { generation: first, requests: 0 };
    this.#log = log;
  }

  /** The generation that new requests get. */
  get current(): G {
    return this.#held.generation;
  }

  /** The number of running requests. */
  get active(): number {
    return this.#running.size;
  }

  /** Whether requests still run on a generation that was replaced. */
  get draining(): boolean {
    return this.#replaced.size > 0;
  }

  /** Takes a hold on the current generation for one request. */
  readonly take = (): Lease => {
    const held = this.#held;
    const { promise: over, reject } = Promise.withResolvers<never>();
    held.requests += 1;
    this.#running.add(reject);
    const release = () => {
      if (!this.#running.delete(reject)) return;
      held.requests -= 1;
      if (held !== this.#held && held.requests === 0) this.#retire(held);
      if (this.#running.size === 0) this.#onIdle();
    };
    return { parts: held.generation, over, release };
  };

  /** Gives new requests the next generation from now on. Running requests end on their own. */
  exchange(next: G): void {
    if (this.#closed) {
      this.#retire({ generation: next, requests: 0 });
      return;
    }
    const before = this.#held;
    this.#held = { generation: next, requests: 0 };
    this.#replaced.add(before);
    if (before.requests === 0) this.#retire(before);
  }

  /** Resolves when no request runs, at the latest after `ms`. */
  drained(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#running.size === 0) this.#onIdle();
    });
  }

  /** Ends all running requests, because the server stops; their callers get an error that says so. */
  readonly cutOff = (): void => {
    for (const reject of this.#running) reject(stopping());
  };

  /** Closes all generations, also those that requests still use. Throws when all have closed if the current one cannot be. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const held of this.#replaced) this.#retire(held);
    try {
      await this.current.close();
    } finally {
      // A reload may bring another one meanwhile.
      while (this.#closing.size > 0) await Promise.all(this.#closing);
    }
  }

  #retire(held: Held<G>): void {
    this.#replaced.delete(held);
    const closed = held.generation
      .close()
      .catch((thrown) => {
        const message = `the parts that a reload replaced could not be closed: ${toSvcError(thrown).message}`;
        this.#log({ level: 'error', message });
      })
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}

function stopping(): SvcError {
  return new SvcError(
    'cancelled',
    'The server is stopping, and the call did not end in time. A call that writes may have taken effect.',
  );
}
