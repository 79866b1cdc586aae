import type {
  DuckDBConnection,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api';
import type { PendingResult } from '@duckdb/node-bindings';
import { SvcError } from '../../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import type { RestrictedTable, ScanEstimate, SqlCaller } from '../../../src/ports.ts';
import { type ColumnTypes, columnTypesOf, estimateScans, explainOf } from '../../../src/sql/estimate.ts';
import { isFull } from '../../../src/sql/neighbours.ts';
import type { Preparation } from '../../../src/sql/restricted/relations.ts';
import { refuseVisibleVariants } from '../../../src/sql/variant-names.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import type { Driver } from '../driver/driver.ts';
import { tracked } from '../driver/process-exit.ts';
import type { ConnectionLease, Instance } from '../engine/instance.ts';
import { isCommitted, isFatal, isUndone, lacksTransaction, toQueryError } from '../errors.ts';
import { defineAll, defineNamed, lacksCaller } from './caller-macros.ts';
import { confine, confineNames, confineToTables, type Reach } from './confine.ts';
import { bindValues, type Casts, castQuery, textQuery } from './parameters.ts';
import { parseSerialized } from './serialized.ts';

/** Starting a statement with parameters plans it again, on this thread. A slower one starts on a thread of the pool. */
const SLOW_START_MS = 5;
/** If the first planning took longer than this, the second may too. It includes waiting, hence the margin. */
const SLOW_PLAN_MS = 20;
const MOST_REMEMBERED = 1000;
/** Longer texts are not remembered, in characters: callers write them, and a thousand would be 100 MB. */
const LONGEST_REMEMBERED = 20_000;
const slowStarts = new Set<string>();
/** A statement of a lane that took longer the last time runs in slices, so that it occupies no thread of the pool. */
const SHORT_RUN_MS = 20;
const slowRuns = new Set<string>();

/** The attempts to find memory after a commit whose outcome is not known, and the pause between two. */
const COMMITS = 100;
const COMMIT_PAUSE_MS = 100;

/** A planned statement, its text, and how long planning took. */
export interface Prepared {
  readonly sql: string;
  readonly statement: DuckDBPreparedStatement;
  readonly planMs: number;
}

/** The names of the columns of a planned statement. */
export function columnNames(statement: DuckDBPreparedStatement): readonly string[] {
  return Array.from({ length: statement.columnCount }, (_, column) => statement.columnName(column));
}

/** The restriction of a caller's own query. */
interface Restriction {
  readonly tables: readonly RestrictedTable[];
  /** The names that `surroundings` read. */
  readonly around: readonly JsonObject[];
  readonly caller: SqlCaller | null;
}

/** Most calls need no restriction. */
const importRelations = () => import('../../../src/sql/restricted/relations.ts');

/** One connection for one request. Temporary objects and variables end with it. */
export class Session {
  readonly #driver: Driver;
  readonly #lease: ConnectionLease;
  #interruptedAt: number | null = null;
  #ending = false;
  #hasCaller = false;

  private constructor(driver: Driver, lease: ConnectionLease) {
    this.#driver = driver;
    this.#lease = lease;
  }

  static async open(driver: Driver, instance: Pick<Instance, 'connect'>): Promise<Session> {
    return new Session(driver, await guarded(() => instance.connect()));
  }

  /** Whether it has user functions, which answer for one caller. */
  get hasCaller(): boolean {
    return this.#hasCaller;
  }

  /** Whether its statement was interrupted. A later statement may still meet the interrupt. */
  get interrupted(): boolean {
    return this.#interruptedAt !== null;
  }

  /** Restricts a caller's own query to the database's own tables. */
  confine(sql: string, reach: Reach): Promise<void> {
    return guarded(() => confine(this.#connection, sql, reach));
  }

  /** Checks the names in a caller's own query once more, by DuckDB's parser (`confineNames`). */
  checkNames(query: string): Promise<void> {
    return guarded(() => confineNames(this.#connection, query));
  }

  /** The rows of an internal query. */
  async rowsOf(sql: string): Promise<readonly JsonObject[]> {
    return guarded(async () => (await this.#connection.runAndReadAll(sql)).getRowObjectsJson());
  }

  /** The names that a restriction needs. */
  async surroundings(): Promise<readonly JsonObject[]> {
    return this.rowsOf((await importRelations()).SURROUNDINGS);
  }

  /** Leaves a caller's own query nothing but the restricted tables (`prepareRestricted`). */
  async restrict(sql: string, { tables, around, caller }: Restriction): Promise<void> {
    const { prepareRestricted, toPreparationError } = await importRelations();
    const preparations = prepareRestricted(sql, tables, around);
    for (const preparation of preparations) {
      await this.#runPreparation(preparation, caller).catch((thrown: unknown) => {
        throw toPreparationError(thrown, preparation);
      });
    }
    await guarded(() => confineToTables(this.#connection, sql, tables));
    await refuseVisibleVariants(sql, preparations, (query) => this.rowsOf(query));
  }

  async #runPreparation({ sql, values }: Preparation, caller: SqlCaller | null): Promise<void> {
    const prepared = await this.prepare(sql, caller);
    try {
      await this.bind(prepared, values);
      await this.runWhole(prepared);
    } finally {
      prepared.statement.destroySync();
    }
  }

  /** Runs internal statements. */
  async run(statements: readonly string[]): Promise<void> {
    if (statements.length === 0) return;
    await guarded(() => this.#connection.run(statements.join(';\n')));
  }

  /** Plans one statement for a caller, and defines the user functions that its views and macros need. */
  async prepare(sql: string, caller: SqlCaller | null): Promise<Prepared> {
    try {
      return await this.plan(sql);
    } catch (thrown) {
      if (!(thrown instanceof SvcError) || !lacksCaller(thrown.message)) throw thrown;
      this.#hasCaller = true;
      await this.run(defineAll(caller));
      return this.plan(sql);
    }
  }

  /** Defines the user functions that a statement names, before it is planned. */
  async defineCallerMacros(
    sql: string,
    caller: SqlCaller | null,
    then: readonly string[] = [],
  ): Promise<void> {
    const macros = defineNamed(sql, caller);
    this.#hasCaller ||= macros.length > 0;
    await this.run([...macros, ...then]);
  }

  /** Binds a statement's parameters. */
  bind({ statement }: Prepared, values: readonly SqlValue[]): Promise<void> {
    const casts: Casts = {
      times: (texts) =>
        this.#firstRow(
          castQuery(texts),
          texts.map(({ text }) => text),
        ),
      texts: (given, types) => this.#firstRow(textQuery(given), given, types),
    };
    return guarded(() => bindValues(this.#driver, statement, values, casts));
  }

  /** Estimates the scans of a statement from its plan, with values bound; sizes only if `sized`. */
  async estimate(sql: string, values: readonly SqlValue[], sized: boolean): Promise<ScanEstimate> {
    const prepared = await this.plan(explainOf(sql));
    try {
      await this.bind(prepared, values);
      const plan = lastText(await this.runWhole(prepared));
      return estimateScans(plan, sized ? await this.#columnTypes(sql) : null);
    } finally {
      prepared.statement.destroySync();
    }
  }

  #columnTypes(sql: string): Promise<ColumnTypes | null> {
    return guarded(async () => {
      const result = await this.#connection.run('SELECT json_serialize_plan($1::VARCHAR)', [sql]);
      return columnTypesOf(lastText(result));
    });
  }

  /**
   * Runs a statement in slices on the engine's threads, which it shares with others. With `outside`, it may wait for a
   * network, so it gets a thread of the pool.
   */
  async runInSlices(prepared: Prepared, { outside = false } = {}): Promise<DuckDBMaterializedResult> {
    if (outside || startsSlowly(prepared)) return this.runWhole(prepared);
    return guarded(async () => {
      const begun = performance.now();
      const pending = prepared.statement.start();
      if (performance.now() - begun > SLOW_START_MS) rememberSlowStart(prepared.sql);
      const leave = await this.#driver.waitFor(handleOf(pending));
      try {
        return materialized(this.#driver, await this.#tracked(() => pending.getResult()));
      } finally {
        leave();
      }
    });
  }

  /** Plans and runs a statement on a thread of Node's pool if it was short before and a thread is free, else in slices. */
  async runShort(prepared: Prepared): Promise<DuckDBMaterializedResult> {
    const leave = slowRuns.has(prepared.sql) ? null : await this.#driver.takeThread();
    const begun = performance.now();
    try {
      return await (leave === null ? this.runInSlices(prepared) : this.runWhole(prepared));
    } finally {
      leave?.();
      rememberRun(prepared.sql, performance.now() - begun);
    }
  }

  /** Runs a statement on a thread of Node's pool. */
  runWhole({ statement }: Prepared): Promise<DuckDBMaterializedResult> {
    return guarded(() => this.#tracked(() => statement.run()));
  }

  /**
   * Runs a statement without parameters on a thread of Node's pool. Its plan ends with it. A process that exits does not
   * wait for it.
   */
  runText(sql: string): Promise<DuckDBMaterializedResult> {
    return guarded(() => this.#tracked(() => this.#connection.run(sql)));
  }

  /**
   * Commits the transaction. DuckDB can lack memory before the commit, and also after it, for the result of COMMIT. Then a
   * second COMMIT finds the transaction, or finds that it has ended. Throws `outcome_unknown` if no attempt tells.
   * DuckDB answers a COMMIT of a transaction that has failed with success, and saves nothing. A query before it fails.
   * With `outside`, the commit may wait for a network.
   */
  async commit({ outside = false } = {}): Promise<void> {
    try {
      await (outside ? this.runText('COMMIT') : this.run(['COMMIT']));
    } catch (thrown) {
      if (isCommitted(thrown) || isUndone(thrown) || isFatal(thrown)) throw thrown;
      await this.#commitAgain(thrown);
    }
  }

  async #commitAgain(first: unknown): Promise<void> {
    try {
      await this.#findMemory();
      return await this.run(['COMMIT']);
    } catch (thrown) {
      if (lacksTransaction(thrown)) return;
      if (isCommitted(thrown)) throw thrown;
      // Nothing tells what a second COMMIT without memory did.
      if (isUndone(thrown)) throw first;
    }
    throw new SvcError(
      'outcome_unknown',
      'The database engine failed while it saved the change, so the change may be there or not. Read it before you try again.',
      { cause: first },
    );
  }

  /** Runs a query, again while memory is short. It fails in a transaction that has failed. */
  async #findMemory(): Promise<void> {
    for (let left = COMMITS; ; left -= 1) {
      try {
        return await this.run(['SELECT 1']);
      } catch (thrown) {
        if (left === 0 || isUndone(thrown) || !isFull(thrown)) throw thrown;
      }
      await new Promise((resolve) => setTimeout(resolve, COMMIT_PAUSE_MS));
    }
  }

  /** Makes the running statement stop. */
  interrupt(): void {
    if (this.#ending) return;
    this.#interruptedAt ??= performance.now();
    this.#connection.interrupt();
  }

  /**
   * Ends the connection. With `outside`, an open transaction is rolled back on a thread of Node's pool first: closing
   * would do it on this thread, and it may wait for a network.
   */
  async close({ outside = false } = {}): Promise<void> {
    this.#ending = true;
    try {
      if (outside) await tracked(null, () => this.#connection.run('ROLLBACK'));
    } catch {
      // Nothing was open, or it ended with its server.
    } finally {
      this.#lease.release();
    }
  }

  #tracked<T>(work: () => Promise<T>): Promise<T> {
    const since = () => this.#interruptedAt;
    return tracked({ interrupt: () => this.interrupt(), since }, work);
  }

  get #connection(): DuckDBConnection {
    return this.#lease.connection;
  }

  /** Plans one statement. */
  async plan(sql: string): Promise<Prepared> {
    const begun = performance.now();
    const statement = await guarded(() => tracked(null, () => this.#connection.prepare(sql)));
    return { sql, statement, planMs: performance.now() - begun };
  }

  /** Runs an internal query for a BOOLEAN. */
  async isTrue(sql: string): Promise<boolean> {
    return (await this.#firstRow(sql, []))[0] === true;
  }

  /** Runs an internal query of one row. */
  async #firstRow(
    sql: string,
    values: readonly DuckDBValue[],
    types: readonly DuckDBType[] = [],
  ): Promise<readonly DuckDBValue[]> {
    const result = await this.#connection.run(sql, [...values], [...types]);
    return (await result.getRows())[0] ?? [];
  }
}

/** The JSON in the last column of the only row. */
function lastText(result: DuckDBMaterializedResult): JsonValue {
  const column = result.getChunk(0).getColumnVector(result.columnCount - 1);
  return parseSerialized(String(column.getItem(0))) ?? null;
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toQueryError(thrown);
  }
}

function startsSlowly({ sql, statement, planMs }: Prepared): boolean {
  return statement.parameterCount > 0 && (planMs > SLOW_PLAN_MS || slowStarts.has(sql));
}

function rememberSlowStart(sql: string): void {
  if (sql.length > LONGEST_REMEMBERED) return;
  if (slowStarts.size >= MOST_REMEMBERED) slowStarts.clear();
  slowStarts.add(sql);
}

function rememberRun(sql: string, ms: number): void {
  if (ms <= SHORT_RUN_MS) slowRuns.delete(sql);
  else if (slowRuns.size < MOST_REMEMBERED) slowRuns.add(sql);
}

/** Reads the handle for the bindings, which the driver keeps private. */
function handleOf(pending: object): PendingResult {
  const handle: unknown = Reflect.get(pending, 'pending_result');
  if (isHandle(handle)) return handle;
  throw new SvcError('internal', 'the native driver has changed: a pending result without its handle');
}

function isHandle(handle: unknown): handle is PendingResult {
  return typeof handle === 'object' && handle !== null;
}

function materialized({ api }: Driver, result: object): DuckDBMaterializedResult {
  if (result instanceof api.DuckDBMaterializedResult) return result;
  throw new SvcError('internal', 'The native driver returned a result that is not materialized.');
}
