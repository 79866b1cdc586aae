import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';

/** DuckDB forgets an interrupt that comes before a statement begins, so it is repeated. */
const INTERRUPT_EVERY_MS = 20;

/** A connection of one request's own. */
export interface Lease {
  readonly connection: DuckDBConnection;
  release(): void;
}

/**
 * One DuckDB over one file. After an error inside of it DuckDB refuses every further statement until the file is
 * opened again; that is done here, once everybody has left.
 */
export class Instance {
  readonly #open: () => Promise<DuckDBInstance>;
  readonly #connections = new Set<DuckDBConnection>();
  #users = 0;
  #current: DuckDBInstance | null;
  /** Never rejects: what went wrong meets whoever needs the database next. */
  #restart: Promise<void> | null = null;
  #failure: unknown = null;
  #closed = false;

  private constructor(open: () => Promise<DuckDBInstance>, current: DuckDBInstance) {
    this.#open = open;
    this.#current = current;
  }

  /** Opens it the first time; the same is done whenever it must be opened again. */
  static async open(open: () => Promise<DuckDBInstance>): Promise<Instance> {
    return new Instance(open, await open());
  }

  /** Whether everybody is being sent away, so that it can be opened again. */
  get restarting(): boolean {
    return this.#restart !== null;
  }

  async connect(): Promise<Lease> {
    const instance = await this.#ready();
    this.#users += 1;
    try {
      return this.#lease(await instance.connect());
    } catch (thrown) {
      this.#users -= 1;
      throw thrown;
    }
  }

  /** Runs work of our own on a connection of its own. */
  async with(work: (connection: DuckDBConnection) => Promise<unknown>): Promise<void> {
    const { connection, release } = await this.connect();
    try {
      await work(connection);
    } finally {
      release();
    }
  }

  /** After an error that may have been the end: finds out, and begins to open it again where it was. */
  async recover(): Promise<void> {
    const suspect = this.#current;
    if (this.#restart !== null || suspect === null || (await answers(suspect))) return;
    if (suspect === this.#current) this.#restart ??= this.#reopen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#restart;
    this.#current?.closeSync();
    this.#current = null;
  }

  #lease(connection: DuckDBConnection): Lease {
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
    // It could not be opened again: perhaps it can be by now.
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
      // A second one beside it would take the first one's lock away when it closes.
      this.#current?.closeSync();
      this.#current = null;
      if (!this.#closed) this.#current = await this.#open();
    } catch (thrown) {
      this.#failure = thrown;
    } finally {
      this.#restart = null;
    }
  }

  async #sendAllAway(): Promise<void> {
    while (this.#users > 0) {
      for (const connection of this.#connections) connection.interrupt();
      await new Promise((resolve) => setTimeout(resolve, INTERRUPT_EVERY_MS));
    }
  }
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
