import { cancelledError, SvcError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';
import type { ScanLimits, SqlCall, SqlCaller, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { toKept } from '../../../src/sql/lanes/may-keep.ts';
import { Neighbours } from '../../../src/sql/neighbours.ts';
import { asQuery } from '../../../src/sql/query.ts';
import { breaksEngine, EngineReplaced, refuseWrite, toEngineError } from '../errors.ts';
import { type RegisterMissing, registerFunctions } from '../functions/register.ts';
import { Session } from '../query/session.ts';
import { checkStandIns } from '../query/stand-ins.ts';
import { Connection } from './connection.ts';
import type { DatabaseFile } from './database-file.ts';
import { type EnteredEngine, Entrance } from './entrance.ts';
import { createInstance, type Instance } from './instance.ts';
import { checkMemory, lockdown, openDatabase } from './open-database.ts';
import { StatementLanes } from './statement-lanes.ts';
import { type EngineStep, runNow } from './steps.ts';
import { Turns, Watchdog } from './turns.ts';
import { unlessEnded, WaitingCall } from './waiting-call.ts';

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

/** The most statements that are open at a time in an engine whose file is fetched. */
const MOST_OPEN = 8;
/** The longest time that statements wait for one that runs once more, if the file is at hand, in milliseconds. */
const HOLD_MS = 10_000;
/** A call that waits for its place looks so often for calls whose time is over, in milliseconds. */
const LATE_MS = 1_000;

/** One DuckDB over one read-only database file. Statements of several callers run in turns. */
export class Engine {
  readonly #options: WasmEngineOptions;
  readonly #instance: Instance;
  readonly #watchdog = new Watchdog();
  readonly #turns = new Turns(this.#watchdog);
  readonly #neighbours: Neighbours;
  readonly #lanes: StatementLanes;
  readonly #entered: EnteredEngine;
  /** The calls in an engine whose file is at hand, each with a function that gives up its place. */
  readonly #places = new Map<Entrance, () => void>();
  #database = 0;
  /** The calls whose statements asked for their caller. */
  readonly #asking = new WeakSet<SqlCall>();
  #registerMissing: RegisterMissing = () => false;
  /** The number of statements since the database was opened. */
  #statements = 0;
  #call: SqlCall | null = null;
  #standIn: SqlCaller | null = null;
  #broken = false;

  private constructor(options: WasmEngineOptions, instance: Instance) {
    this.#options = options;
    this.#instance = instance;
    // If the platform dropped a call that runs once more, nothing goes on, and the watchdog has the engine replaced.
    const fetched = { most: MOST_OPEN, holdMs: Number.POSITIVE_INFINITY };
    this.#neighbours = new Neighbours(instance.waiting === null ? { holdMs: HOLD_MS } : fetched);
    this.#lanes = new StatementLanes({
      instance,
      isBroken: () => this.#broken,
      enter: (step) => this.#enter(unlimited(), step),
      connect: () => Session.open(instance, this.#database),
      hasAsked: (call) => this.#asking.has(call),
    });
    this.#entered = {
      isBroken: () => this.#broken,
      enter: async ({ call, waits }, step) =>
        waits === null ? this.#enter(call, step) : this.#enterWaiting(call, step, waits),
      prepare: (session, sql) => this.#planning(() => session.prepare(sql)),
      begin: (statement, values) => this.#planning(() => statement.begin(values)),
      pause: ({ waits }) => this.#pause(waits),
    };
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
    if (request.mode === 'write') refuseWrite(request.sql);
    return this.#beside(call, request.scan, (entrance) => this.#read(request, entrance));
  }

  /** Reads in a lane if the statement has proven itself, else on a connection of its own. */
  async #read(request: SqlRequest, entrance: Entrance): Promise<SqlResult> {
    const { call } = entrance;
    // A lane is closed at any time, but a suspended engine must not be entered.
    const kept = this.#instance.waiting === null ? toKept(request, call.caller) : null;
    if (kept === null) return this.#readAlone(request, entrance);
    const answer = await this.#lanes.read(kept, entrance);
    if (answer !== null) return answer;
    const { generation } = this.#lanes;
    try {
      const result = await this.#readAlone(kept, entrance);
      this.#lanes.prove(kept, call, generation);
      return result;
    } catch (thrown) {
      // An error shows the text as its author wrote it.
      if (kept === request || !(thrown instanceof SvcError) || thrown.code !== 'sql_failed') throw thrown;
      return this.#readAlone(request, entrance);
    }
  }

  #readAlone(request: SqlRequest, entrance: Entrance): Promise<SqlResult> {
    return this.#connected(entrance, (connection) => connection.read(request));
  }

  /** Parses and plans a statement without running it. */
  async prepare(sql: string, mode: SqlRequest['mode'], call: SqlCall = unlimited()): Promise<void> {
    if (mode === 'write') refuseWrite(sql);
    await this.#besideConnected(call, (connection) => connection.plan(sql));
  }

  /** Plans a query as `run` does, with its most rows, and returns the plan. */
  async explain({ sql, values, maxRows }: Omit<SqlRequest, 'mode'>): Promise<JsonValue> {
    const query = { sql: asQuery(sql, maxRows + 1), values };
    return this.#besideConnected(unlimited(), (connection) => connection.explain(query));
  }

  close(): void {
    this.#lanes.clear();
    if (!this.#broken) this.#closeDatabase();
    this.#broken = true;
  }

  #besideConnected<T>(call: SqlCall, work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#beside(call, undefined, (entrance) => this.#connected(entrance, work));
  }

  /** Runs work beside that of others, once more without them if it lacks memory. A trap marks the engine as broken. */
  async #beside<T>(
    call: SqlCall,
    scan: ScanLimits | undefined,
    work: (entrance: Entrance) => Promise<T>,
  ): Promise<T> {
    const waits = this.#waitingCall(call, scan);
    const entrance = new Entrance(this.#entered, call, waits);
    const begin = async (): Promise<T> => {
      // It takes no lane, which it would not give back.
      if (call.signal.aborted) throw cancelledError();
      entrance.enforceOpen();
      this.#statements += 1;
      return work(entrance);
    };
    const free = (alone: boolean): Promise<boolean> => this.#makeRoom(entrance, alone);
    if (waits === null) return this.#besideAtHand(entrance, begin, free);
    const inTurn = async <R>(step: () => Promise<R>): Promise<R> => {
      await this.#orReplaced(this.#turns.take(waits.ended));
      return step().finally(() => this.#turns.release());
    };
    const attempt = (): Promise<T> => {
      waits.beginAttempt();
      return inTurn(begin);
    };
    const makeRoom = (alone: boolean): Promise<boolean> => {
      waits.beginAttempt();
      return inTurn(() => free(alone));
    };
    const wait = (entered: Promise<void>): Promise<void> => this.#watchdog.wait(entered, waits.ended);
    try {
      return await this.#orReplaced(this.#neighbours.run(attempt, { wait, makeRoom }));
    } catch (thrown) {
      throw waits.withSpent(thrown);
    } finally {
      waits.close();
    }
  }

  async #besideAtHand<T>(
    entrance: Entrance,
    attempt: () => Promise<T>,
    makeRoom: (alone: boolean) => Promise<boolean>,
  ): Promise<T> {
    const wait = async (entered: Promise<void>): Promise<void> => {
      const timer = setInterval(() => this.#endLate(), LATE_MS);
      await unlessEnded(entrance, entered).finally(() => clearInterval(timer));
    };
    const onArrival = (leave: () => void): void => void this.#places.set(entrance, leave);
    this.#endLate();
    try {
      return await this.#neighbours.run(attempt, { onArrival, wait, makeRoom });
    } finally {
      this.#places.delete(entrance);
    }
  }

  /**
   * Ends the calls whose time is over. Each would end by itself, but a platform may drop a request without running its
   * `finally`, and its call would keep its place, its memory and its connection for ever.
   */
  #endLate(): void {
    for (const [entrance, leave] of this.#places) {
      if (Date.now() <= entrance.deadline) continue;
      this.#places.delete(entrance);
      try {
        this.#enter(unlimited(), () => entrance.end());
      } catch {
        this.#broken = true;
      }
      leave();
    }
  }

  /**
   * Opens the database again, which frees all memory of earlier statements. DuckDB drops the blocks that it keeps at its
   * own limit, but not if an allocation fails; it goes on counting memory that its buffer allocator failed to get; and
   * small objects scattered over the heap leave no large piece free. Returns whether there was anything to free.
   */
  async #makeRoom(entrance: Entrance, alone: boolean): Promise<boolean> {
    if (this.#broken || !alone || this.#statements <= 1) return false;
    this.#lanes.clear();
    try {
      await entrance.enter(() => this.#reopening());
      return true;
    } catch (thrown) {
      this.#broken = true;
      throw thrown;
    }
  }

  #connected<T>(entrance: Entrance, work: (connection: Connection) => Promise<T>): Promise<T> {
    const open = (): EngineStep<Session> => Session.open(this.#instance, this.#database);
    return entrance.using(open, closing, (session) =>
      work(new Connection(this.#instance, entrance, session)),
    );
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

  /** Plans a statement, and once more after registering functions that it misses. The types of its values may need others. */
  *#planning<T>(plan: () => EngineStep<T>): EngineStep<T> {
    try {
      return yield* plan();
    } catch (thrown) {
      if (!this.#registerMissing(thrown)) throw thrown;
      return yield* this.#planning(plan);
    }
  }

  /** The caller of the step that runs now, for a user function. */
  #callerNow(): SqlCaller | null {
    if (this.#call === null || this.#standIn !== null) return this.#standIn;
    this.#asking.add(this.#call);
    return this.#call.caller;
  }

  async #prepareDatabase(): Promise<void> {
    const call = unlimited();
    const waits = this.#waitingCall(call, undefined);
    if (waits === null) this.#enter(call, () => this.#opening());
    else await this.#enterWaiting(call, () => this.#opening(), waits);
  }

  *#reopening(): EngineStep<void> {
    this.#closeDatabase();
    this.#instance.releaseCallbacks();
    yield* this.#opening();
  }

  #closeDatabase(): void {
    const { call, heap, scratch } = this.#instance;
    heap.setU32(scratch, this.#database);
    call.duckdb_close(scratch);
  }

  *#opening(): EngineStep<void> {
    this.#statements = 0;
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
    const onProgress = (): void => this.#watchdog.progress();
    return new WaitingCall(call, { fetched: file.fetched, maxRanges, scan, onProgress });
  }

  /** Waits for a turn or for work. Marks the engine as broken if it is replaced because nothing goes on in it. */
  async #orReplaced<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
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
    await this.#orReplaced(this.#turns.take(NEVER));
  }

  /** Runs a step that may wait for the file. A failed read fails the step, even if DuckDB goes on. */
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

/** Disconnects, which never waits. */
// biome-ignore lint/correctness/useYield: a step without a read of the file
function* closing(session: Session): EngineStep<void> {
  session.close();
}
