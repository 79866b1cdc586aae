import { cancelledError, deadlineError, SvcError } from '../../../src/errors.ts';
import { tryJson } from '../../../src/json.ts';
import type {
  RestrictedTable,
  ScanEstimate,
  ScanLimits,
  SqlCall,
  SqlCaller,
  SqlRequest,
  SqlResult,
} from '../../../src/ports.ts';
import { enforceScan, estimateScans, explainOf } from '../../../src/sql/estimate.ts';
import { type Lane, type LaneEntry, Lanes, WITHOUT_SEEDS } from '../../../src/sql/lanes/lanes.ts';
import { toKept } from '../../../src/sql/lanes/may-keep.ts';
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
import { type EngineStep, runNow } from './steps.ts';
import { Turns } from './turns.ts';
import { WaitingCall } from './waiting-call.ts';

/** The parts and limits of an engine. */
export interface WasmEngineOptions {
  readonly wasm: WebAssembly.Module;
  readonly trampolines: WebAssembly.Module;
  readonly file: DatabaseFile;
  /** The most memory that the engine can take, in MiB. */
  readonly memoryMb: number;
  /** Yields to other work of the thread between two slices of a long statement. */
  readonly pause: () => Promise<void>;
  /** Called with the call when a step begins, and with null when it ends, so that another thread can detect a stuck step. */
  readonly onStep?: (call: SqlCall | null) => void;
  /** The most requests for ranges that one call may make, if the file is fetched. Default: no limit. */
  readonly maxRanges?: number;
}

const SLICE_MS = 8;
/** Ends a slice where the clock stands still during work, as on Workers. */
const SLICE_STEPS = 16;

/** Statements run in turns, so few are in use at a time. */
const IDLE_LANES = 16;

/** One DuckDB over one read-only database file. Statements of several callers run in turns. */
export class Engine {
  readonly #options: WasmEngineOptions;
  readonly #instance: Instance;
  readonly #turns = new Turns();
  #database = 0;
  readonly #lanes = new Lanes<WasmLane>(IDLE_LANES);
  /** The calls whose statements asked for their caller. */
  readonly #asking = new WeakSet<SqlCall>();
  #registerMissing: RegisterMissing = () => false;
  #call: SqlCall | null = null;
  #standIn: SqlCaller | null = null;
  #broken = false;

  private constructor(options: WasmEngineOptions, instance: Instance) {
    this.#options = options;
    this.#instance = instance;
  }

  /**
   * Instantiates an engine, opens the database, registers functions and locks the configuration, in this order. `ahead`
   * is an unused instance made with the same options.
   */
  static async open(options: WasmEngineOptions, ahead?: Instance): Promise<Engine> {
    checkMemory(options.memoryMb);
    const engine = new Engine(options, ahead ?? (await createInstance(options)));
    await engine.#prepareDatabase();
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
    // It takes no lane, which it would not give back.
    if (call.signal.aborted) throw cancelledError();
    // A lane is closed at any time, but a suspended engine must not be entered.
    const kept = this.#instance.waiting === null ? toKept(request, call.caller) : null;
    if (kept === null) return this.#readAlone(request, call);
    const entry = this.#lanes.enter(kept.sql, kept.values.length);
    const answer = entry && (await this.#readInLane(kept, call, entry));
    if (answer !== null) return answer;
    const { generation } = this.#lanes;
    try {
      const result = await this.#readAlone(kept, call);
      if (!this.#asking.has(call)) this.#lanes.prove(kept.sql, kept.values.length, generation);
      return result;
    } catch (thrown) {
      // An error shows the text as its author wrote it.
      if (kept === request || !(thrown instanceof SvcError) || thrown.code !== 'sql_failed') throw thrown;
      return this.#readAlone(request, call);
    }
  }

  #readAlone(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    return this.#work(call, request.scan, async (connection) => {
      if (request.restricted !== undefined) await this.#restrict(connection, request.sql, request.restricted);
      const query = { sql: asQuery(request.sql, request.maxRows + 1), values: request.values };
      const estimate = request.scan && (await this.#estimate(connection, request, query.sql));
      const result = await this.#execute(connection, query, (read) =>
        toResult(this.#instance, read, request.maxRows),
      );
      const { waits } = connection;
      return {
        ...result,
        ...(estimate === undefined ? {} : { estimate }),
        ...(waits === null ? {} : { fetched: waits.spent }),
      };
    });
  }

  /**
   * Plans a kept statement anew and runs it. DuckDB would answer from a plan of an earlier call, with its time, but an
   * INTEGER for its LIMIT, which is a BIGINT, makes it plan again. A lane that failed, that was stopped, or whose
   * statement asked for its caller is closed. Null if the statement cannot be prepared in a lane.
   */
  async #readInLane(
    { sql, values, maxRows }: SqlRequest,
    call: SqlCall,
    { lane: idle, generation }: LaneEntry<WasmLane>,
  ): Promise<SqlResult | null> {
    const enter: Enter = async (step) => this.#enter(call, step);
    const lane =
      idle ?? (await this.#tryLane(sql, () => enter(() => this.#openLane(sql, values.length + 1))));
    if (lane === null) return null;
    let failed = true;
    try {
      await enter(() => begin(lane.statement, [...values, BigInt(maxRows + 1)]));
      await this.#finish(lane.statement, { call, enter, waits: null });
      const result = await enter(() => this.#readAndReset(lane.statement, maxRows));
      failed = false;
      return result;
    } finally {
      const asking = this.#asking.has(call);
      if (asking) this.#lanes.disprove(sql);
      if (!failed && !asking) this.#lanes.leave(sql, lane, generation);
      else if (!this.#broken) await enter(() => lane.free());
    }
  }

  /** Opens a lane. Null, from now on for each call of the statement, if it cannot be prepared there. */
  async #tryLane(sql: string, open: () => Promise<WasmLane>): Promise<WasmLane | null> {
    try {
      return await open();
    } catch (thrown) {
      if (!(thrown instanceof SvcError) || thrown.code !== 'sql_failed') throw thrown;
      this.#lanes.disprove(sql);
      return null;
    }
  }

  *#readAndReset(statement: Statement, maxRows: number): EngineStep<SqlResult> {
    const rows = toResult(this.#instance, yield* statement.result(), maxRows);
    yield* statement.reset();
    return rows;
  }

  *#openLane(sql: string, parameters: number): EngineStep<WasmLane> {
    const session = yield* Session.open(this.#instance, this.#database);
    try {
      yield* session.query(WITHOUT_SEEDS);
      const statement = yield* this.#prepare(session, asQuery(sql, `$${parameters}`));
      const free = function* (): EngineStep<void> {
        yield* statement.close();
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
    const plan = await this.#execute(connection, explained, (read) => {
      const [row] = toResult(this.#instance, read, 1).rows;
      return tryJson(String(row?.explain_value)) ?? null;
    });
    const estimate = estimateScans(plan, null);
    enforceScan(estimate, scan);
    return estimate;
  }

  /** Leaves a caller's own query nothing but the restricted tables (`prepareRestricted`). */
  async #restrict(connection: Connection, sql: string, tables: readonly RestrictedTable[]): Promise<void> {
    const around = await connection.enter(() => connection.session.query(SURROUNDINGS));
    for (const preparation of prepareRestricted(sql, tables, around.rows)) {
      await this.#execute(connection, preparation, () => null).catch((thrown: unknown) => {
        throw toPreparationError(thrown, preparation);
      });
    }
  }

  /** Runs one statement in slices. */
  async #execute<T>(
    connection: Connection,
    { sql, values }: Pick<SqlRequest, 'sql' | 'values'>,
    read: (result: number) => T,
  ): Promise<T> {
    const { session, enter } = connection;
    const statement = await enter(() => this.#prepare(session, sql));
    try {
      await enter(() => begin(statement, values));
      await this.#finish(statement, connection);
      return await enter(() => readWith(statement, read));
    } finally {
      if (!this.#broken) await enter(() => statement.close());
    }
  }

  /** Parses and plans a statement without running it. */
  async prepare(sql: string, mode: SqlRequest['mode'], call: SqlCall = unlimited()): Promise<void> {
    if (mode === 'write') throw readonlyError();
    await this.#work(call, undefined, async ({ session, enter }) => {
      const statement = await enter(() => this.#prepare(session, asQuery(sql, 1)));
      await enter(() => statement.close());
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
  async #work<T>(
    call: SqlCall,
    scan: ScanLimits | undefined,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    if (call.signal.aborted) throw cancelledError();
    const waits = this.#waitingCall(call, scan);
    if (waits === null) return this.#connected(call, null, work);
    try {
      await this.#take(waits.ended);
      return await this.#connected(call, waits, work).finally(() => this.#turns.release());
    } catch (thrown) {
      throw waits.withSpent(thrown);
    } finally {
      waits.close();
    }
  }

  async #connected<T>(
    call: SqlCall,
    waits: WaitingCall | null,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const enter: Enter = async (step) =>
      waits === null ? this.#enter(call, step) : this.#enterWaiting(call, step, waits);
    const session = await enter(() => Session.open(this.#instance, this.#database));
    try {
      return await work({ session, call, enter, waits });
    } finally {
      if (!this.#broken) await enter(() => closing(session));
    }
  }

  /** Sets the caller for every step into the engine, because steps of several callers alternate. */
  #enter<T>(call: SqlCall, step: () => EngineStep<T>): T {
    this.#begin(call);
    try {
      return runNow(this.#instance.call, step());
    } catch (thrown) {
      throw this.#failed(thrown);
    } finally {
      this.#end();
    }
  }

  /** Enters an engine whose file is fetched, in the turn of the call. */
  async #enterWaiting<T>(call: SqlCall, step: () => EngineStep<T>, waits: WaitingCall): Promise<T> {
    this.#begin(call);
    try {
      return await this.#wait(step(), waits);
    } catch (thrown) {
      throw this.#failed(thrown);
    } finally {
      this.#end();
    }
  }

  #begin(call: SqlCall): void {
    if (this.#broken) throw new EngineReplaced();
    this.#call = call;
    this.#options.onStep?.(call);
  }

  #failed(thrown: unknown): SvcError {
    const failure = this.#instance.waiting?.failure ?? null;
    this.#broken ||= breaksEngine(thrown, failure);
    return failure ?? toEngineError(thrown);
  }

  #end(): void {
    this.#call = null;
    this.#options.onStep?.(null);
  }

  /** Plans a statement, and once more after registering functions that it misses. */
  *#prepare(session: Session, sql: string): EngineStep<Statement> {
    try {
      return yield* session.prepare(sql);
    } catch (thrown) {
      if (!this.#registerMissing(thrown)) throw thrown;
      return yield* this.#prepare(session, sql);
    }
  }

  /** The caller of the step that runs now, for a user function. */
  #callerNow(): SqlCaller | null {
    if (this.#call === null || this.#standIn !== null) return this.#standIn;
    this.#asking.add(this.#call);
    return this.#call.caller;
  }

  async #finish(statement: Statement, { call, enter, waits }: Omit<Connection, 'session'>): Promise<void> {
    const deadline = Date.now() + call.timeoutMs;
    while (!(await enter(() => runSlice(statement)))) {
      // A scan whose blocks are fetched ahead may never wait.
      waits?.check();
      await this.#pause(waits);
      if (call.signal.aborted) throw cancelledError();
      if (Date.now() > deadline) throw deadlineError('The query', call.timeoutMs);
    }
  }

  async #prepareDatabase(): Promise<void> {
    const call = unlimited();
    const waits = this.#waitingCall(call, undefined);
    if (waits === null) this.#enter(call, () => this.#opening());
    else await this.#enterWaiting(call, () => this.#opening(), waits);
  }

  *#opening(): EngineStep<void> {
    this.#database = yield* openDatabase(this.#instance, this.#options.file);
    const session = yield* Session.open(this.#instance, this.#database);
    this.#registerMissing = registerFunctions({
      instance: this.#instance,
      database: this.#database,
      session,
      caller: () => this.#callerNow(),
    });
    yield* checkStandIns(session, (caller) => {
      this.#standIn = caller;
    });
    for (const setting of lockdown(this.#options.memoryMb)) yield* session.query(`SET ${setting}`);
    session.close();
  }

  /** Null for a file that is at hand. */
  #waitingCall(call: SqlCall, scan: ScanLimits | undefined): WaitingCall | null {
    const { file, maxRanges } = this.#options;
    if (this.#instance.waiting === null || file.fetched === undefined) return null;
    const onProgress = (): void => this.#turns.progress();
    return new WaitingCall(call, { fetched: file.fetched, maxRanges, scan, onProgress });
  }

  /** Waits for a turn. Only one call may be inside an engine whose file is fetched. */
  async #take(ended: Promise<never>): Promise<void> {
    try {
      await this.#turns.take(ended);
    } catch (thrown) {
      this.#broken ||= thrown instanceof EngineReplaced;
      throw thrown;
    }
  }

  /** Lets other work run, and other calls enter the engine. */
  async #pause(waits: WaitingCall | null): Promise<void> {
    if (waits === null) return this.#options.pause();
    this.#turns.release();
    await this.#options.pause();
    // A call that has ended also takes its turn, because its statement must be closed inside.
    await this.#take(NEVER);
  }

  /** Runs a step that may wait for the file. A failed read fails the step, whatever DuckDB makes of it. */
  async #wait<T>(step: EngineStep<T>, waits: WaitingCall): Promise<T> {
    const { waiting } = this.#instance;
    if (waiting === null) throw new SvcError('internal', 'the engine does not wait');
    waits.begin();
    try {
      const value = await waiting.run(step, waits);
      if (waiting.failure !== null) throw waiting.failure;
      return value;
    } finally {
      waits.count();
    }
  }
}

const NEVER = new Promise<never>(() => {});

function unlimited(): SqlCall {
  return { caller: null, signal: new AbortController().signal, timeoutMs: Number.POSITIVE_INFINITY };
}

/** Runs one step inside the engine. */
type Enter = <T>(step: () => EngineStep<T>) => Promise<T>;

/** A connection that keeps one prepared statement. */
interface WasmLane extends Lane {
  readonly statement: Statement;
  /** Frees both in the step of a call; `close` is a step of its own. */
  free(): EngineStep<void>;
}

/** The connection of one call. */
interface Connection {
  readonly session: Session;
  readonly call: SqlCall;
  readonly enter: Enter;
  /** Null for a file that is at hand. */
  readonly waits: WaitingCall | null;
}

function* begin(statement: Statement, values: SqlRequest['values']): EngineStep<void> {
  statement.bind(values);
  yield* statement.start();
}

/** Disconnects, which never waits. */
// biome-ignore lint/correctness/useYield: a step without a read of the file
function* closing(session: Session): EngineStep<void> {
  session.close();
}

function* runSlice(statement: Statement): EngineStep<boolean> {
  const end = performance.now() + SLICE_MS;
  for (let steps = 0; steps < SLICE_STEPS; steps += 1) {
    if (yield* statement.step()) return true;
    if (performance.now() > end) return false;
  }
  return false;
}

function* readWith<T>(statement: Statement, read: (result: number) => T): EngineStep<T> {
  return read(yield* statement.result());
}

function toResult(instance: Instance, result: number, maxRows: number): SqlResult {
  const { columns, rows } = readResult(instance, result);
  return { columns, rows: rows.slice(0, maxRows), truncated: rows.length > maxRows };
}
