import { SvcError, toSvcError } from '../../../src/errors.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';

/** The ways to open the new database of an exchange, and its time limits. */
export interface ExchangeOptions {
  readonly openNext: () => Promise<Database>;
  /** Opens the database as it was. It is called if a writable database was closed and `openNext` has failed. */
  readonly openPrevious: () => Promise<Database>;
  /** The time that running statements have to finish, in milliseconds. */
  readonly drainMs: number;
  /** Aborts when it is too late for the new database. */
  readonly signal?: AbortSignal;
}

/**
 * Replaces a database under running calls: new statements wait, running ones finish, then the next database opens. If
 * it cannot be opened, the previous one stays in use and the reason is thrown.
 */
export async function exchangeDatabase(
  database: ExchangeableDatabase,
  options: ExchangeOptions,
): Promise<void> {
  const current = await database.hold(options.drainMs);
  const { used, failure } = await reopen(current, options);
  await database.release(used);
  if (failure !== null) throw failure;
}

/** The database to use after an exchange, and the reason if it is not the new one. */
interface Reopened {
  readonly used: Database;
  readonly failure: SvcError | null;
}

/**
 * Opens the next database; never throws. A read-only one is opened beside the current one, so a failure changes
 * nothing. A writable one is closed first, because a file takes one writer only.
 */
async function reopen(current: Database, options: ExchangeOptions): Promise<Reopened> {
  if (!current.readonly) await closeInTime(current);
  try {
    const used = await openInTime(options);
    if (current.readonly) await closeInTime(current);
    return { used, failure: null };
  } catch (thrown) {
    const failure = toSvcError(thrown);
    if (current.readonly) return { used: current, failure };
    return options.openPrevious().then(
      (used) => ({ used, failure }),
      (cause) => ({ used: current, failure: staysClosed(cause) }),
    );
  }
}

async function openInTime({ openNext, signal }: ExchangeOptions): Promise<Database> {
  const database = await openNext();
  if (signal?.aborted !== true) return database;
  await database.close();
  throw signal.reason;
}

/** Abandoned statements may still run in a database, and nothing can end them: new calls must not wait for them. */
const CLOSE_MS = 5_000;

async function closeInTime(database: Database): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([database.close(), late]).finally(() => clearTimeout(timer));
}

function staysClosed(cause: unknown): SvcError {
  const reason = toSvcError(cause).message;
  return new SvcError(
    'database_unavailable',
    `The database is closed, because it cannot be opened again: ${reason}
Correct the cause, then reload once more.`,
    { cause },
  );
}

/** A database that can be replaced under running calls (spec, "States and transitions"); see `exchangeDatabase`. */
export class ExchangeableDatabase implements Database {
  #current: Database;
  #active = 0;
  #held: PromiseWithResolvers<void> | null = null;
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

  /** The number of running statements. */
  get active(): number {
    return this.#active;
  }

  /** Whether new statements wait until the running ones have finished. */
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

  /**
   * Makes new statements wait until `release`, and returns the database when the running ones have finished. Throws
   * `busy` if they take longer than `drainMs`; then nothing waits. Exchanges must come one after the other.
   */
  async hold(drainMs: number): Promise<Database> {
    this.#held = Promise.withResolvers();
    try {
      await this.#idle(drainMs);
      return this.#current;
    } catch (thrown) {
      this.#resume();
      throw thrown;
    }
  }

  /** Uses this database from now on, and lets the waiting statements run. */
  async release(database: Database): Promise<void> {
    this.#current = database;
    try {
      if (this.#closed) await database.close();
    } finally {
      this.#resume();
    }
  }

  #resume(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  async #pass<T>(work: (database: Database) => Promise<T>, signal?: AbortSignal): Promise<T> {
    while (this.#held !== null) await untilAborted(this.#held.promise, signal);
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
  return new SvcError('busy', `${active} running calls did not finish within ${ms / 1000} s.`);
}
