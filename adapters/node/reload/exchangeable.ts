import { SvcError } from '../../../src/errors.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';

/** Which database is used after an exchange, and why it is not the one that was wanted. */
export interface Exchanged {
  readonly database: Database;
  readonly failure: SvcError | null;
}

/** How one database takes the place of another. */
export interface DatabaseExchange {
  /** Gives what comes after the current one, which nobody uses meanwhile. */
  readonly make: (current: Database) => Promise<Exchanged>;
  /** Milliseconds that running statements are waited for. */
  readonly drainMs: number;
}

/** A database that is exchanged under running calls: new ones wait, running ones finish (spec, "States and transitions"). */
export class ExchangeableDatabase implements Database {
  #current: Database;
  #active = 0;
  #held: Promise<void> | null = null;
  #closed = false;
  #onIdle: () => void = () => {};

  constructor(database: Database) {
    this.#current = database;
  }

  get engine(): Database['engine'] {
    return this.#current.engine;
  }

  get readonly(): boolean {
    return this.#current.readonly;
  }

  /** Statements that run now. */
  get active(): number {
    return this.#active;
  }

  /** Whether new statements wait for the running ones to finish. */
  get draining(): boolean {
    return this.#held !== null && this.#active > 0;
  }

  run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    return this.#pass((database) => database.run(request, call), call.signal);
  }

  prepare(sql: string, mode: SqlRequest['mode']): Promise<void> {
    return this.#pass((database) => database.prepare(sql, mode));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#current.close();
  }

  /** One at a time; throws what kept the wanted database from being used. */
  async exchange({ make, drainMs }: DatabaseExchange): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    try {
      await this.#idle(drainMs);
      const { database, failure } = await make(this.#current);
      this.#current = database;
      if (this.#closed) await database.close();
      if (failure !== null) throw failure;
    } finally {
      this.#held = null;
      resolve();
    }
  }

  async #pass<T>(work: (database: Database) => Promise<T>, signal?: AbortSignal): Promise<T> {
    while (this.#held !== null) await untilAborted(this.#held, signal);
    this.#active += 1;
    try {
      return await work(this.#current);
    } finally {
      this.#active -= 1;
      if (this.#active === 0) this.#onIdle();
    }
  }

  async #idle(ms: number): Promise<void> {
    if (this.#active === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve, reject) => {
      this.#onIdle = resolve;
      timer = setTimeout(() => reject(tooLong(this.#active, ms)), ms);
    });
    clearTimeout(timer);
  }
}

async function untilAborted(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return wait;
  if (signal.aborted) throw cancelled();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
  });
  await Promise.race([wait, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}

function cancelled(): SvcError {
  return new SvcError('cancelled', 'The call was cancelled while the server reloaded.');
}

function tooLong(active: number, ms: number): SvcError {
  return new SvcError('busy', `${active} running calls did not end within ${ms / 1000} s.`);
}
