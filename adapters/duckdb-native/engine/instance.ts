import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';

/** DuckDB forgets an interrupt that comes before a statement begins, so it is repeated. */
const INTERRUPT_EVERY_MS = 20;

/** A connection for one request. */
export interface ConnectionLease {
  readonly connection: DuckDBConnection;
  release(): void;
}

/**
 * One DuckDB over one file. After an internal error DuckDB refuses every further statement until the file is opened
 * again, and after others it cannot be trusted. This class opens it again as soon as all connections are closed.
 */
export class Instance {
  readonly #open: () => Promise<DuckDBInstance>;
  readonly #closeIdle: () => void;
  readonly #connections = new Set<DuckDBConnection>();
  #users = 0;
  #current: DuckDBInstance | null;
  /** Never rejects: the next caller that connects gets the error. */
  #restart: Promise<void> | null = null;
  #failure: unknown = null;
  #closed = false;

  private constructor(open: () => Promise<DuckDBInstance>, closeIdle: () => void, current: DuckDBInstance) {
    this.#open = open;
    this.#closeIdle = closeIdle;
    this.#current = current;
  }

  /**
   * Opens the file; `open` is called again whenever the file must be opened again. `closeIdle` ends the connections that
   * wait for work, before the file is closed.
   */
  static async open(open: () => Promise<DuckDBInstance>, closeIdle = (): void => {}): Promise<Instance> {
    return new Instance(open, closeIdle, await open());
  }

  /** Whether statements are being interrupted so that the file can be opened again. */
  get restarting(): boolean {
    return this.#restart !== null;
  }

  async connect(): Promise<ConnectionLease> {
    const instance = await this.#ready();
    this.#users += 1;
    try {
      return this.#lease(await instance.connect());
    } catch (thrown) {
      this.#users -= 1;
      throw thrown;
    }
  }

  /** Runs internal work on a connection of its own. */
  async with(work: (connection: DuckDBConnection) => Promise<unknown>): Promise<void> {
    const { connection, release } = await this.connect();
    try {
      await work(connection);
    } finally {
      release();
    }
  }

  /** Checks after an internal error whether DuckDB still answers, and starts opening the file again if it does not. */
  async recover(): Promise<void> {
    const suspect = this.#current;
    if (this.#restart !== null || suspect === null || (await answers(suspect))) return;
    if (suspect === this.#current) this.#restart ??= this.#reopen();
  }

  /** Starts opening the file again, without what DuckDB has in memory only. The next to connect waits for it. */
  reopen(): void {
    if (this.#current !== null) this.#restart ??= this.#reopen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#restart;
    this.#closeIdle();
    this.#current?.closeSync();
    this.#current = null;
  }

  #lease(connection: DuckDBConnection): ConnectionLease {
    this.#connections.add(connection);
    return {
      connection,
      release: () => {
        if (!this.#connections.delete(connection)) return;
        this.#users -= 1;
        connection.closeSync();
      },
    };
  }

  async #ready(): Promise<DuckDBInstance> {
    await this.#restart;
    if (this.#closed) throw new SvcError('database_unavailable', 'The database is closed.');
    // The last attempt to open it again failed. Try once more.
    if (this.#current === null) {
      this.#restart ??= this.#reopen();
      await this.#restart;
    }
    if (this.#current === null) throw this.#failure;
    return this.#current;
  }

  async #reopen(): Promise<void> {
    try {
      await this.#sendAllAway();
      // Close first: a second instance would release the first one's lock when it closes.
      if (this.#current !== null) await closeUnsaved(this.#current);
      this.#current = null;
      if (!this.#closed) this.#current = await this.#open();
    } catch (thrown) {
      this.#failure = thrown;
    } finally {
      this.#restart = null;
    }
  }

  async #sendAllAway(): Promise<void> {
    for (this.#closeIdle(); this.#users > 0; this.#closeIdle()) {
      for (const connection of this.#connections) connection.interrupt();
      await new Promise((resolve) => setTimeout(resolve, INTERRUPT_EVERY_MS));
    }
  }
}

/** Closes DuckDB without a checkpoint, which would save what an error has left in memory. */
async function closeUnsaved(instance: DuckDBInstance): Promise<void> {
  try {
    const connection = await instance.connect();
    await connection.run('PRAGMA disable_checkpoint_on_shutdown').finally(() => connection.closeSync());
  } catch {
    // A database that DuckDB has given up makes no checkpoint.
  }
  instance.closeSync();
}

async function answers(instance: DuckDBInstance): Promise<boolean> {
  try {
    const connection = await instance.connect();
    try {
      await connection.run('SELECT 1');
      return true;
    } finally {
      connection.closeSync();
    }
  } catch {
    return false;
  }
}
