import { SvcError } from '../../../src/errors.ts';
import type { SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';
import {
  hasOtherNames,
  type Lane,
  type LaneEntry,
  Lanes,
  WITHOUT_SEEDS,
} from '../../../src/sql/lanes/lanes.ts';
import { asBareQuery, asQuery, isSameBare } from '../../../src/sql/query.ts';
import { breaksEngine } from '../errors.ts';
import { toResult } from '../query/result.ts';
import type { Session, Statement } from '../query/session.ts';
import { finish } from './connection.ts';
import type { Entrance } from './entrance.ts';
import type { Instance } from './instance.ts';
import type { EngineStep } from './steps.ts';

/** Statements run in turns, so few are in use at a time. */
const IDLE_LANES = 16;

/** A connection that keeps one prepared statement. */
interface WasmLane extends Lane {
  readonly statement: Statement;
  /** Frees both in the step of a call; `close` is a step of its own. */
  free(): EngineStep<void>;
}

/** The engine, as its lanes need it. */
export interface LaneEngine {
  readonly instance: Instance;
  isBroken(): boolean;
  /** Runs a step of no call. */
  enter(step: () => EngineStep<void>): void;
  connect(): EngineStep<Session>;
  /** Whether a call's statement asked for its caller. */
  hasAsked(call: SqlCall): boolean;
}

type Prepare = (sql: string) => EngineStep<Statement>;

/** The lanes of an engine whose file is at hand. An engine that is suspended must not be entered to close one. */
export class StatementLanes {
  readonly #engine: LaneEngine;
  readonly #lanes = new Lanes<WasmLane>(IDLE_LANES);

  constructor(engine: LaneEngine) {
    this.#engine = engine;
  }

  get generation(): number {
    return this.#lanes.generation;
  }

  get idle(): number {
    return this.#lanes.idle;
  }

  clear(): void {
    this.#lanes.clear();
  }

  /** Remembers that a call ran the statement on a connection of its own, and left nothing there. */
  prove({ sql, values }: SqlRequest, call: SqlCall, generation: number): void {
    if (!this.#engine.hasAsked(call)) this.#lanes.prove(sql, values.length, generation);
  }

  /** Reads in a lane. Null if the statement has not proven itself, or fits no lane. */
  async read(request: SqlRequest, entrance: Entrance): Promise<SqlResult | null> {
    const entry = this.#lanes.enter(request.sql, request.values.length);
    return entry && this.#readIn(entry, request, entrance);
  }

  /**
   * Plans a kept statement anew and runs it. DuckDB would answer from a plan of an earlier call, with its time, but an
   * INTEGER for its LIMIT, which is a BIGINT, makes it plan again. A lane that failed, that was stopped, or whose
   * statement asked for its caller or fits no lane is closed.
   */
  async #readIn(
    { lane: idle, generation }: LaneEntry<WasmLane>,
    request: SqlRequest,
    entrance: Entrance,
  ): Promise<SqlResult | null> {
    const { sql, values, maxRows } = request;
    if (idle !== null) entrance.hold(idle.free);
    const lane = idle ?? (await this.#tryOpen(request, entrance));
    if (lane === null) return null;
    let [failed, unfit] = [true, false];
    try {
      await entrance.enter(() => entrance.begin(lane.statement, [...values, BigInt(maxRows + 1)]));
      await finish(lane.statement, entrance);
      const result = await entrance.enter(() => this.#readAndReset(lane.statement, request));
      failed = false;
      unfit = hasOtherNames(result);
      return unfit ? null : result;
    } finally {
      unfit ||= this.#engine.hasAsked(entrance.call);
      if (unfit) this.#lanes.disprove(sql);
      if (failed || unfit) await entrance.close();
      else if (entrance.release()) this.#lanes.leave(sql, lane, generation);
    }
  }

  /** Opens a lane. Null, from now on for each call of the statement, if it cannot be prepared there. */
  async #tryOpen({ sql, values }: SqlRequest, entrance: Entrance): Promise<WasmLane | null> {
    try {
      return await entrance.enter(() => this.#open(sql, values.length + 1, entrance));
    } catch (thrown) {
      if (!(thrown instanceof SvcError) || thrown.code !== 'sql_failed') throw thrown;
      this.#lanes.disprove(sql);
      return null;
    }
  }

  *#open(sql: string, parameters: number, entrance: Entrance): EngineStep<WasmLane> {
    const engine = this.#engine;
    const session = yield* engine.connect();
    try {
      yield* session.query(WITHOUT_SEEDS);
      const prepare = (text: string): EngineStep<Statement> => entrance.prepare(session, text);
      const statement = yield* this.#prepare(sql, `$${parameters}`, prepare);
      const free = function* (): EngineStep<void> {
        yield* statement.close();
        session.close();
      };
      const close = (): void => {
        if (!engine.isBroken()) engine.enter(free);
      };
      entrance.hold(free);
      return { statement, free, close };
    } catch (thrown) {
      if (!breaksEngine(thrown)) session.close();
      throw thrown;
    }
  }

  *#prepare(sql: string, limit: `$${number}`, prepare: Prepare): EngineStep<Statement> {
    const bare = yield* this.#tryBare(asBareQuery(sql, limit), prepare);
    return bare ?? (yield* prepare(asQuery(sql, limit)));
  }

  /** Prepares a bare query. Null if DuckDB refuses it, or if its columns would have other names. */
  *#tryBare(sql: string, prepare: Prepare): EngineStep<Statement | null> {
    try {
      const statement = yield* prepare(sql);
      if (isSameBare(statement.columnNames())) return statement;
      yield* statement.close();
    } catch (thrown) {
      if (!(thrown instanceof SvcError) || thrown.code !== 'sql_failed') throw thrown;
    }
    return null;
  }

  *#readAndReset(statement: Statement, request: SqlRequest): EngineStep<SqlResult> {
    const rows = toResult(this.#engine.instance, yield* statement.result(), request);
    yield* statement.reset();
    return rows;
  }
}
