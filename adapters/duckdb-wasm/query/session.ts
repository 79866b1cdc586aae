import { SvcError } from '../../../src/errors.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import type { Instance } from '../engine/instance.ts';
import { type EngineStep, runNow, whileText } from '../engine/steps.ts';
import { toDuckdbError } from '../errors.ts';
import type { ReadFirst } from './parameters.ts';
import { chunksOf, type ResultRows, readResult } from './result.ts';
import { Statement, type StatementOwner } from './statement.ts';

/** One connection for one request. Temporary objects and variables end with it. */
export class Session implements StatementOwner {
  readonly #instance: Instance;
  readonly #connection: number;

  private constructor(instance: Instance, connection: number) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /** Connects to the database. */
  static *open(instance: Instance, database: number): EngineStep<Session> {
    const { heap, scratch } = instance;
    if ((yield ['duckdb_connect', database, scratch]) !== 0) {
      throw new SvcError('memory_exceeded', 'The database has no memory left for another connection.');
    }
    return new Session(instance, heap.u32(scratch));
  }

  /** The engine's handle of the connection. */
  get handle(): number {
    return this.#connection;
  }

  /** Parses and plans one statement. */
  *prepare(sql: string): EngineStep<Statement> {
    const { heap, scratch } = this.#instance;
    const connection = this.#connection;
    const state = yield* whileText(this.#instance, sql, (at) => ['duckdb_prepare', connection, at, scratch]);
    const statement = new Statement(this.#instance, heap.u32(scratch), this);
    if (state === 0) return statement;
    const message = statement.error();
    yield* statement.close();
    throw toDuckdbError(message);
  }

  /** Runs an internal statement, without pauses. */
  query(sql: string): EngineStep<ResultRows> {
    return this.#run(sql, [], (result) => readResult(this.#instance, result));
  }

  /** Runs an internal statement, which must not read the file, and reads its first value in place. */
  readonly first: ReadFirst = (sql, text, read) => {
    const { call } = this.#instance;
    const step = this.#run(sql, [text], (result) => {
      for (const chunk of chunksOf(this.#instance, result)) {
        return read(call.duckdb_vector_get_data(call.duckdb_data_chunk_get_vector(chunk, 0, 0)));
      }
      throw new SvcError('internal', 'a statement of ours answered no row');
    });
    return runNow(call, step);
  };

  *#run<T>(sql: string, values: readonly SqlValue[], read: (result: number) => T): EngineStep<T> {
    const statement = yield* this.prepare(sql);
    try {
      yield* statement.begin(values);
      while (!(yield* statement.step()));
      return read(yield* statement.result());
    } finally {
      yield* statement.close();
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
