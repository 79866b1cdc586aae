import { SvcError } from '../../../src/errors.ts';
import type { SqlValue } from '../../../src/ports.ts';
import type { Instance } from '../engine/instance.ts';
import { toDuckdbError } from '../errors.ts';
import type { ReadFirst } from './parameters.ts';
import { chunksOf, type ResultRows, readResult } from './result.ts';
import { Statement, type StatementOwner } from './statement.ts';

/** One connection for one request. Temporary objects and variables end with it. */
export class Session implements StatementOwner {
  readonly #instance: Instance;
  readonly #connection: number;

  constructor(instance: Instance, database: number) {
    const { call, heap, scratch } = instance;
    this.#instance = instance;
    if (call.duckdb_connect(database, scratch) !== 0) {
      throw new SvcError('memory_exceeded', 'The database has no memory left for another connection.');
    }
    this.#connection = heap.u32(scratch);
  }

  /** The engine's handle of the connection. */
  get handle(): number {
    return this.#connection;
  }

  /** Parses and plans one statement. */
  prepare(sql: string): Statement {
    const { call, heap, scratch, withText } = this.#instance;
    const state = withText(sql, (at) => call.duckdb_prepare(this.#connection, at, scratch));
    const statement = new Statement(this.#instance, heap.u32(scratch), this);
    if (state === 0) return statement;
    const message = statement.error();
    statement.close();
    throw toDuckdbError(message);
  }

  /** Runs an internal statement, without pauses. */
  query(sql: string): ResultRows {
    return this.#runNow(sql, [], (result) => readResult(this.#instance, result));
  }

  /** Runs an internal statement and reads its first value in place. */
  readonly first: ReadFirst = (sql, text, read) => {
    const { call } = this.#instance;
    return this.#runNow(sql, [text], (result) => {
      for (const chunk of chunksOf(this.#instance, result)) {
        return read(call.duckdb_vector_get_data(call.duckdb_data_chunk_get_vector(chunk, 0, 0)));
      }
      throw new SvcError('internal', 'a statement of ours answered no row');
    });
  };

  #runNow<T>(sql: string, values: readonly SqlValue[], read: (result: number) => T): T {
    const statement = this.prepare(sql);
    try {
      statement.bind(values);
      statement.start();
      while (!statement.step());
      return read(statement.result());
    } finally {
      statement.close();
    }
  }

  /** Makes the running statement stop at its next step. */
  interrupt(): void {
    this.#instance.call.duckdb_interrupt(this.#connection);
  }

  close(): void {
    const { call, heap, scratch } = this.#instance;
    heap.setU32(scratch, this.#connection);
    call.duckdb_disconnect(scratch);
  }
}
