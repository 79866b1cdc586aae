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
import type { SqlValue } from '../../../src/sql-value.ts';
import { breaksEngine } from '../errors.ts';
import { toResult } from '../query/result.ts';
import type { Session, Statement } from '../query/session.ts';
import { type Entrance, finish } from './connection.ts';
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
  /** Runs a step of a call now; null for a step of no call. */
  enter<T>(call: SqlCall | null, step: () => EngineStep<T>): T;
  connect(): EngineStep<Session>;
  prepare(session: Session, sql: string): EngineStep<Statement>;
  begin(statement: Statement, values: readonly SqlValue[]): EngineStep<void>;
  /** Whether a call's statement asked for its caller. */
  hasAsked(call: SqlCall): boolean;
}

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
    const engine = this.#engine;
    const { call } = entrance;
    const lane = idle ?? this.#tryOpen(sql, values.length + 1, call);
    if (lane === null) return null;
    let [failed, unfit] = [true, false];
    try {
      engine.enter(call, () => engine.begin(lane.statement, [...values, BigInt(maxRows + 1)]));
      await finish(lane.statement, entrance);
      const result = engine.enter(call, () => this.#readAndReset(lane.statement, request));
      failed = false;
      unfit = hasOtherNames(result);
      return unfit ? null : result;
    } finally {
      unfit ||= engine.hasAsked(call);
      if (unfit) this.#lanes.disprove(sql);
      if (!failed && !unfit) this.#lanes.leave(sql, lane, generation);
      else if (!engine.isBroken()) engine.enter(call, () => lane.free());
    }
  }

  /** Opens a lane. Null, from now on for each call of the statement, if it cannot be prepared there. */
  #tryOpen(sql: string, parameters: number, call: SqlCall): WasmLane | null {
    try {
      return this.#engine.enter(call, () => this.#open(sql, parameters));
    } catch (thrown) {
      if (!(thrown instanceof SvcError) || thrown.code !== 'sql_failed') throw thrown;
      this.#lanes.disprove(sql);
      return null;
    }
  }

  *#open(sql: string, parameters: number): EngineStep<WasmLane> {
    const engine = this.#engine;
    const session = yield* engine.connect();
    try {
      yield* session.query(WITHOUT_SEEDS);
      const statement = yield* this.#prepare(session, sql, `$${parameters}`);
      const free = function* (): EngineStep<void> {
        yield* statement.close();
        session.close();
      };
      const close = (): void => {
        if (!engine.isBroken()) engine.enter(null, free);
      };
      return { statement, free, close };
    } catch (thrown) {
      if (!breaksEngine(thrown)) session.close();
      throw thrown;
    }
  }

  *#prepare(session: Session, sql: string, limit: `$${number}`): EngineStep<Statement> {
    const wrapped = asQuery(sql, limit);
    const bare = yield* this.#tryBare(session, asBareQuery(sql, limit));
    return bare ?? (yield* this.#engine.prepare(session, wrapped));
  }

  /** Prepares a bare query. Null if DuckDB refuses it, or if its columns would have other names. */
  *#tryBare(session: Session, sql: string): EngineStep<Statement | null> {
    try {
      const statement = yield* this.#engine.prepare(session, sql);
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
