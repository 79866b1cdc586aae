import { deadlineError } from '../../../src/errors.ts';
import type { SqlCall } from '../../../src/ports.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import type { Session, Statement } from '../query/session.ts';
import type { EngineStep } from './steps.ts';
import type { WaitingCall } from './waiting-call.ts';

/** The engine, as its calls enter it. */
export interface EnteredEngine {
  /** Whether the engine must not be entered any more. */
  isBroken(): boolean;
  /** Runs one step of a call inside the engine. */
  enter<T>(entrance: Entrance, step: () => EngineStep<T>): Promise<T>;
  /** Plans a statement. */
  prepare(session: Session, sql: string): EngineStep<Statement>;
  /** Starts a statement, which DuckDB plans again for its values. */
  begin(statement: Statement, values: readonly SqlValue[]): EngineStep<void>;
  /** Lets other work run, and other calls enter the engine. */
  pause(entrance: Entrance): Promise<void>;
}

/** Closes a part of a call inside the engine. */
type Close = () => EngineStep<void>;

/** The way of one call into the engine, and the parts that it holds there: connections and statements. */
export class Entrance {
  readonly call: SqlCall;
  /** Null for a file that is at hand. */
  readonly waits: WaitingCall | null;
  /** The time at which the call ends, in milliseconds since 1970. */
  readonly deadline: number;
  readonly #engine: EnteredEngine;
  readonly #held: Close[] = [];
  #ended = false;

  constructor(engine: EnteredEngine, call: SqlCall, waits: WaitingCall | null) {
    this.call = call;
    this.waits = waits;
    this.deadline = Date.now() + call.timeoutMs;
    this.#engine = engine;
  }

  /** Throws `deadline_exceeded` if the call was ended from outside. */
  enforceOpen(): void {
    if (this.#ended) throw deadlineError('The query', this.call.timeoutMs);
  }

  /** Runs one step inside the engine. */
  async enter<T>(step: () => EngineStep<T>): Promise<T> {
    this.enforceOpen();
    return this.#engine.enter(this, step);
  }

  prepare(session: Session, sql: string): EngineStep<Statement> {
    return this.#engine.prepare(session, sql);
  }

  begin(statement: Statement, values: readonly SqlValue[]): EngineStep<void> {
    return this.#engine.begin(statement, values);
  }

  pause(): Promise<void> {
    return this.#engine.pause(this);
  }

  /** Opens a part, works with it, and closes it. */
  async using<T, R>(
    open: () => EngineStep<T>,
    close: (part: T) => EngineStep<void>,
    work: (part: T) => Promise<R>,
  ): Promise<R> {
    const part = await this.enter(() => this.#opening(open, close));
    try {
      return await work(part);
    } finally {
      await this.close();
    }
  }

  /** Holds an open part. One that is opened must be held in the same step, so that an end from outside closes it. */
  hold(close: Close): void {
    this.#held.push(close);
  }

  /** Gives back the part that was held last. Returns false if it has been closed. */
  release(): boolean {
    return this.#held.pop() !== undefined;
  }

  /** Closes the part that was held last, unless that has happened. */
  async close(): Promise<void> {
    const close = this.#held.pop();
    if (close !== undefined && !this.#engine.isBroken()) await this.enter(close);
  }

  /** Ends the call from outside: closes its parts, and lets it enter no more. */
  *end(): EngineStep<void> {
    this.#ended = true;
    for (const close of this.#held.splice(0).reverse()) yield* close();
  }

  *#opening<T>(open: () => EngineStep<T>, close: (part: T) => EngineStep<void>): EngineStep<T> {
    const part = yield* open();
    this.hold(() => close(part));
    return part;
  }
}
