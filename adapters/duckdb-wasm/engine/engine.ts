import { cancelledError, deadlineError, SvcError } from '../../../src/errors.ts';
import { tryJson } from '../../../src/json.ts';
import type {
  RestrictedTable,
  ScanEstimate,
  SqlCall,
  SqlCaller,
  SqlRequest,
  SqlResult,
} from '../../../src/ports.ts';
import { enforceScan, estimateScans, explainOf } from '../../../src/sql/estimate.ts';
import { type Entry, type Lane, Lanes } from '../../../src/sql/lanes/lanes.ts';
import { mayKeep } from '../../../src/sql/lanes/may-keep.ts';
import { asQuery } from '../../../src/sql/query.ts';
import {
  prepareRestricted,
  SURROUNDINGS,
  toPreparationError,
} from '../../../src/sql/restricted/relations.ts';
import { breaksEngine, EngineReplaced, readonlyError, toEngineError } from '../errors.ts';
import { type RegisterMissing, registerFunctions } from '../functions/register.ts';
import { readResult } from '../query/result.ts';
import { Session } from '../query/session.ts';
import { checkStandIns } from '../query/stand-ins.ts';
import type { Statement } from '../query/statement.ts';
import type { DatabaseFile } from './database-file.ts';
import { createInstance, type Instance } from './instance.ts';
import { checkMemory, lockdown, openDatabase } from './open-database.ts';

/** The parts and limits of an engine. */
export interface EngineOptions {
  readonly wasm: WebAssembly.Module;
  readonly trampolines: WebAssembly.Module;
  readonly file: DatabaseFile;
  /** The most memory that the engine can take, in MiB. */
  readonly memoryMb: number;
  /** Yields to other work of the thread between two slices of a long statement. */
  readonly pause: () => Promise<void>;
  /** Called with the call when a step begins, and with null when it ends, so that another thread can detect a stuck step. */
  readonly onStep?: (call: SqlCall | null) => void;
}

const SLICE_MS = 8;
/** Ends a slice where the clock stands still during work, as on Workers. */
const SLICE_STEPS = 16;

/** Statements run in turns, so few are in use at a time. */
const IDLE_LANES = 16;

/** One DuckDB over one read-only database file. Statements of several callers run in turns. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #instance: Instance;
  readonly #database: number;
  readonly #lanes = new Lanes<WasmLane>(IDLE_LANES);
  /** The calls whose statements asked for their caller. */
  readonly #asking = new WeakSet<SqlCall>();
  #registerMissing: RegisterMissing = () => false;
  #call: SqlCall | null = null;
  #standIn: SqlCaller | null = null;
  #broken = false;

  private constructor(options: EngineOptions, instance: Instance) {
    this.#options = options;
    this.#instance = instance;
    this.#database = openDatabase(instance, options.file);
  }

  /**
   * Instantiates an engine, opens the database, registers functions and locks the configuration, in this order. `ahead`
   * is an unused instance made with the same options.
   */
  static async open(options: EngineOptions, ahead?: Instance): Promise<Engine> {
    checkMemory(options.memoryMb);
    const engine = new Engine(options, ahead ?? (await createInstance(options)));
    engine.#prepareDatabase();
    return engine;
  }

  /** Whether the engine must be replaced. */
  get broken(): boolean {
    return this.#broken;
  }

  /** The memory that the engine holds, in MiB. It never shrinks. */
  get memoryMb(): number {
    return this.#instance.heap.memory.buffer.byteLength / 2 ** 20;
  }

  async run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    if (request.mode === 'write') throw readonlyError();
    try {
      return await this.#read(request, call);
    } catch (thrown) {
      // Idle lanes hold memory that the statement may need.
      const full = thrown instanceof SvcError && thrown.code === 'memory_exceeded';
      if (!full || this.#broken || this.#lanes.idle === 0) throw thrown;
      this.#lanes.clear();
      return this.#read(request, call);
    }
  }

  /** Reads in a lane if the statement has proven itself, else on a connection of its own. */
  async #read(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    const { sql, values } = request;
    const entry = mayKeep(request) ? this.#lanes.enter(sql, values.length) : null;
    if (entry !== null) return this.#readInLane(request, call, entry);
    const { generation } = this.#lanes;
    const result = await this.#readAlone(request, call);
    if (mayKeep(request) && !this.#asking.has(call)) this.#lanes.prove(sql, values.length, generation);
    return result;
  }

  #readAlone(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    return this.#work(call, async (session, enter) => {
      const connection = { session, call, enter };
      if (request.restricted !== undefined) await this.#restrict(connection, request.sql, request.restricted);
      const query = { sql: asQuery(request.sql, request.maxRows + 1), values: request.values };
      const estimate = request.scan && (await this.#estimate(connection, request, query.sql));
      const result = await this.#execute(connection, query, (statement) =>
        toResult(this.#instance, statement, request.maxRows),
      );
      return estimate === undefined ? result : { ...result, estimate };
    });
  }

  /**
   * Plans a kept statement anew and runs it. DuckDB would answer from a plan of an earlier call, with its time, but an
   * INTEGER for its LIMIT, which is a BIGINT, makes it plan again. A lane that failed, that was stopped, or whose
   * statement asked for its caller is closed.
   */
  async #readInLane(
    { sql, values, maxRows }: SqlRequest,
    call: SqlCall,
    { lane: idle, generation }: Entry<WasmLane>,
  ): Promise<SqlResult> {
    if (call.signal.aborted) throw cancelledError();
    const enter: Enter = (step) => this.#enter(call, step);
    const lane = idle ?? enter(() => this.#openLane(sql, values.length + 1));
    let failed = true;
    try {
      enter(() => {
        lane.statement.bind([...values, BigInt(maxRows + 1)]);
        lane.statement.start();
      });
      await this.#finish(lane.statement, call, enter);
      const result = enter(() => {
        const rows = toResult(this.#instance, lane.statement, maxRows);
        lane.statement.reset();
        return rows;
      });
      failed = false;
      return result;
    } finally {
      const asking = this.#asking.has(call);
      if (asking) this.#lanes.disprove(sql);
      if (!failed && !asking) this.#lanes.leave(sql, lane, generation);
      else if (!this.#broken) enter(() => lane.free());
    }
  }

  #openLane(sql: string, parameters: number): WasmLane {
    const session = new Session(this.#instance, this.#database);
    try {
      const statement = this.#prepare(session, asQuery(sql, `$${parameters}`));
      const free = (): void => {
        statement.close();
        session.close();
      };
      const close = (): void => {
        if (!this.#broken) this.#enter(unlimited(), free);
      };
      return { statement, free, close };
    } catch (thrown) {
      if (!breaksEngine(thrown)) session.close();
      throw thrown;
    }
  }

  /** Estimates a statement's scans from its plan. Throws scan_too_large if they are beyond the limits of the request. */
  async #estimate(
    connection: Connection,
    { values, scan = {} }: SqlRequest,
    sql: string,
  ): Promise<ScanEstimate> {
    const explained = { sql: explainOf(sql), values };
    const plan = await this.#execute(connection, explained, (statement) => {
      const [row] = toResult(this.#instance, statement, 1).rows;
      return tryJson(String(row?.explain_value)) ?? null;
    });
    const estimate = estimateScans(plan, null);
    enforceScan(estimate, scan);
    return estimate;
  }

  /** Leaves a caller's own query nothing but the restricted tables (`prepareRestricted`). */
  async #restrict(connection: Connection, sql: string, tables: readonly RestrictedTable[]): Promise<void> {
    const around = connection.enter(() => connection.session.query(SURROUNDINGS));
    for (const preparation of prepareRestricted(sql, tables, around.rows)) {
      await this.#execute(connection, preparation, (statement) => statement.result()).catch(
        (thrown: unknown) => {
          throw toPreparationError(thrown, preparation);
        },
      );
    }
  }

  /** Runs one statement in slices. */
  async #execute<T>(
    { session, call, enter }: Connection,
    { sql, values }: Pick<SqlRequest, 'sql' | 'values'>,
    read: (statement: Statement) => T,
  ): Promise<T> {
    const statement = enter(() => this.#prepare(session, sql));
    try {
      enter(() => {
        statement.bind(values);
        statement.start();
      });
      await this.#finish(statement, call, enter);
      return enter(() => read(statement));
    } finally {
      if (!this.#broken) enter(() => statement.close());
    }
  }

  /** Parses and plans a statement without running it. */
  async prepare(sql: string, mode: SqlRequest['mode'], call: SqlCall = unlimited()): Promise<void> {
    if (mode === 'write') throw readonlyError();
    await this.#work(call, async (session, enter) => {
      enter(() => this.#prepare(session, asQuery(sql, 1)).close());
    });
  }

  close(): void {
    const { call, heap, scratch } = this.#instance;
    this.#lanes.clear();
    if (!this.#broken) {
      heap.setU32(scratch, this.#database);
      call.duckdb_close(scratch);
    }
    this.#broken = true;
  }

  /** Runs work on a connection of its own. A trap marks the engine as broken. */
  async #work<T>(call: SqlCall, work: (session: Session, enter: Enter) => Promise<T>): Promise<T> {
    if (call.signal.aborted) throw cancelledError();
    const enter: Enter = (step) => this.#enter(call, step);
    const session = enter(() => new Session(this.#instance, this.#database));
    try {
      return await work(session, enter);
    } finally {
      if (!this.#broken) enter(() => session.close());
    }
  }

  /** Sets the caller for every step into the engine, because steps of several callers alternate. */
  #enter<T>(call: SqlCall, step: () => T): T {
    if (this.#broken) throw new EngineReplaced();
    this.#call = call;
    this.#options.onStep?.(call);
    try {
      return step();
    } catch (thrown) {
      this.#broken = breaksEngine(thrown);
      throw toEngineError(thrown);
    } finally {
      this.#call = null;
      this.#options.onStep?.(null);
    }
  }

  /** Plans a statement, and once more after registering functions that it misses. */
  #prepare(session: Session, sql: string): Statement {
    try {
      return session.prepare(sql);
    } catch (thrown) {
      if (!this.#registerMissing(thrown)) throw thrown;
      return this.#prepare(session, sql);
    }
  }

  /** The caller of the step that runs now, for a user function. */
  #callerNow(): SqlCaller | null {
    if (this.#call === null) return this.#standIn;
    this.#asking.add(this.#call);
    return this.#call.caller;
  }

  async #finish(statement: Statement, call: SqlCall, enter: Enter): Promise<void> {
    const deadline = Date.now() + call.timeoutMs;
    while (!enter(() => runSlice(statement))) {
      await this.#options.pause();
      if (call.signal.aborted) throw cancelledError();
      if (Date.now() > deadline) throw deadlineError('The query', call.timeoutMs);
    }
  }

  #prepareDatabase(): void {
    const session = new Session(this.#instance, this.#database);
    this.#registerMissing = registerFunctions({
      instance: this.#instance,
      database: this.#database,
      session,
      caller: () => this.#callerNow(),
    });
    checkStandIns(session, (caller) => {
      this.#standIn = caller;
    });
    for (const setting of lockdown(this.#options.memoryMb)) session.query(`SET ${setting}`);
    session.close();
  }
}

function unlimited(): SqlCall {
  return { caller: null, signal: new AbortController().signal, timeoutMs: Number.POSITIVE_INFINITY };
}

/** Runs one step inside the engine. */
type Enter = <T>(step: () => T) => T;

/** A connection that keeps one prepared statement. */
interface WasmLane extends Lane {
  readonly statement: Statement;
  /** Frees both in the step of a call; `close` is a step of its own. */
  free(): void;
}

/** The connection of one call. */
interface Connection {
  readonly session: Session;
  readonly call: SqlCall;
  readonly enter: Enter;
}

function runSlice(statement: Statement): boolean {
  const end = performance.now() + SLICE_MS;
  for (let steps = 0; steps < SLICE_STEPS; steps += 1) {
    if (statement.step()) return true;
    if (performance.now() > end) return false;
  }
  return false;
}

function toResult(instance: Instance, statement: Statement, maxRows: number): SqlResult {
  const { columns, rows } = readResult(instance, statement.result());
  return { columns, rows: rows.slice(0, maxRows), truncated: rows.length > maxRows };
}
