import { SvcError } from '../../../src/errors.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import type { Instance } from '../engine/instance.ts';
import { type EngineStep, runNow, whileText } from '../engine/steps.ts';
import { toDuckdbError } from '../errors.ts';
import { castText, createValue, destroyValues, type ReadFirst } from './parameters.ts';
import { chunksOf, type ResultRows, readResult } from './result.ts';
import { takeString } from './types.ts';

/** One connection for one request. Temporary objects and variables end with it. */
export class Session {
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

const RESULT_BYTES = 64;
const STATE = { ready: 0, failed: 2 } as const;

/** A prepared statement. */
export class Statement {
  readonly #instance: Instance;
  readonly #statement: number;
  readonly #session: Session;
  #pending = 0;
  #running = false;
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

  /** The names of its columns. */
  columnNames(): readonly string[] {
    const { call } = this.#instance;
    const count = call.duckdb_prepared_statement_column_count(this.#statement);
    return Array.from({ length: count }, (_, column) =>
      takeString(this.#instance, call.duckdb_prepared_statement_column_name(this.#statement, column, 0)),
    );
  }

  /** Binds `$1 .. $n`, each with its SQL type. */
  #bind(values: readonly SqlValue[]): void {
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

  /** Binds values and starts the statement; each step continues it. If that fails, it can be started again. */
  *begin(values: readonly SqlValue[]): EngineStep<void> {
    this.#bind(values);
    yield* this.#start();
  }

  *#start(): EngineStep<void> {
    const { heap, scratch } = this.#instance;
    const state = yield ['duckdb_pending_prepared', this.#statement, scratch];
    this.#pending = heap.u32(scratch);
    if (state !== 0) {
      const error = this.#pendingError();
      yield* this.reset();
      throw error;
    }
    this.#running = true;
  }

  /** Runs one task of the statement; returns true when the result is ready. */
  *step(): EngineStep<boolean> {
    const state = yield ['duckdb_pending_execute_task', this.#pending];
    this.#running = state !== STATE.failed && state !== STATE.ready;
    if (state === STATE.failed) throw this.#pendingError();
    return state === STATE.ready;
  }

  /** Returns the address of the result, after a step returned true. It lives as long as the statement. */
  *result(): EngineStep<number> {
    const { call, heap } = this.#instance;
    this.#result = this.#instance.allocate(RESULT_BYTES);
    heap.bytes.fill(0, this.#result, this.#result + RESULT_BYTES);
    if ((yield ['duckdb_execute_pending', this.#pending, this.#result]) !== 0) {
      throw toDuckdbError(heap.cString(call.duckdb_result_error(this.#result)));
    }
    return this.#result;
  }

  /** Destroys the result, so that the statement can run again. */
  *reset(): EngineStep<void> {
    const { call, heap, scratch } = this.#instance;
    if (this.#running) yield* this.#stop();
    if (this.#result !== 0) {
      call.duckdb_destroy_result(this.#result);
      call.free(this.#result);
      this.#result = 0;
    }
    if (this.#pending !== 0) {
      heap.setU32(scratch, this.#pending);
      call.duckdb_destroy_pending(scratch);
      this.#pending = 0;
    }
  }

  *close(): EngineStep<void> {
    const { call, heap, scratch } = this.#instance;
    yield* this.reset();
    heap.setU32(scratch, this.#statement);
    call.duckdb_destroy_prepare(scratch);
  }

  /** Interrupts the statement and runs it to its end, because only then DuckDB frees its memory. */
  *#stop(): EngineStep<void> {
    this.#session.interrupt();
    try {
      while (this.#running) yield* this.step();
    } catch (thrown) {
      if (!(thrown instanceof SvcError)) throw thrown;
    }
  }

  #pendingError(): SvcError {
    const { call, heap } = this.#instance;
    return toDuckdbError(heap.cString(call.duckdb_pending_error(this.#pending)));
  }
}
