import { SvcError } from '../../src/errors.ts';
import type { SqlValue } from '../../src/ports.ts';
import { castText, type ReadFirst } from './cast.ts';
import { toDuckdbError } from './failure.ts';
import type { Instance } from './instance.ts';
import { chunksOf, type ResultRows, readResult } from './result.ts';
import { createValue, destroyValues } from './values.ts';

const RESULT_BYTES = 64;
const STATE = { ready: 0, failed: 2 } as const;

/** One connection, used for one request: whatever a statement leaves behind ends with it. */
export class Session {
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

  /** The engine's own handle. */
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

  /** Runs a statement of our own, without pauses. */
  query(sql: string): ResultRows {
    return this.#runNow(sql, [], (result) => readResult(this.#instance, result));
  }

  /** Runs a statement of our own and reads its first value where it lies. */
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

/** A prepared statement. */
export class Statement {
  readonly #instance: Instance;
  readonly #statement: number;
  readonly #session: Session;
  #pending = 0;
  #result = 0;

  constructor(instance: Instance, statement: number, session: Session) {
    this.#instance = instance;
    this.#statement = statement;
    this.#session = session;
  }

  error(): string {
    const { call, heap } = this.#instance;
    return heap.cString(call.duckdb_prepare_error(this.#statement));
  }

  /** Binds `$1 .. $n`, each as its own SQL type. */
  bind(values: readonly SqlValue[]): void {
    const wanted = this.#instance.call.duckdb_nparams(this.#statement);
    if (wanted !== values.length) {
      throw new SvcError(
        'sql_failed',
        `The statement takes ${wanted} parameters, but ${values.length} were given.`,
      );
    }
    values.forEach((value, index) => {
      this.#bindOne(index + 1, value);
    });
  }

  #bindOne(index: number, value: SqlValue): void {
    const instance = this.#instance;
    const created = createValue(instance, value, (type, text) =>
      castText(instance, type, text, this.#session.first),
    );
    const state = instance.call.duckdb_bind_value(this.#statement, index, 0, created);
    destroyValues(instance, [created]);
    if (state !== 0) throw new SvcError('sql_failed', `Parameter $${index} cannot be bound: ${this.error()}`);
  }

  /** Begins to run it; it goes on with each step. */
  start(): void {
    const { call, heap, scratch } = this.#instance;
    const state = call.duckdb_pending_prepared(this.#statement, scratch);
    this.#pending = heap.u32(scratch);
    if (state !== 0) throw this.#pendingError();
  }

  /** Does one task of the running statement; true when its result is there. */
  step(): boolean {
    const state = this.#instance.call.duckdb_pending_execute_task(this.#pending);
    if (state === STATE.failed) throw this.#pendingError();
    return state === STATE.ready;
  }

  /** The result, once a step has said that it is there; it lives as long as the statement. */
  result(): number {
    const { call, heap } = this.#instance;
    this.#result = call.malloc(RESULT_BYTES);
    heap.bytes.fill(0, this.#result, this.#result + RESULT_BYTES);
    if (call.duckdb_execute_pending(this.#pending, this.#result) !== 0) {
      throw toDuckdbError(heap.cString(call.duckdb_result_error(this.#result)));
    }
    return this.#result;
  }

  close(): void {
    const { call, heap, scratch } = this.#instance;
    if (this.#result !== 0) {
      call.duckdb_destroy_result(this.#result);
      call.free(this.#result);
    }
    if (this.#pending !== 0) {
      heap.setU32(scratch, this.#pending);
      call.duckdb_destroy_pending(scratch);
    }
    heap.setU32(scratch, this.#statement);
    call.duckdb_destroy_prepare(scratch);
  }

  #pendingError(): SvcError {
    const { call, heap } = this.#instance;
    return toDuckdbError(heap.cString(call.duckdb_pending_error(this.#pending)));
  }
}
