import { SvcError } from '../../src/errors.ts';
import type { SqlCall, SqlCaller, SqlRequest, SqlResult } from '../../src/ports.ts';
import { isBroken, readonlyError, toDuckdbError, toFailure } from './failure.ts';
import type { DatabaseFile } from './file.ts';
import { calendarFunctions, callerFunctions } from './functions.ts';
import { createInstance, type Instance } from './instance.ts';
import { readResult } from './result.ts';
import { defineFunction } from './scalar.ts';
import { Session, type Statement } from './session.ts';
import { mountPath } from './system.ts';

/** What an engine is made of. */
export interface EngineOptions {
  readonly wasm: WebAssembly.Module;
  readonly trampolines: WebAssembly.Module;
  readonly file: DatabaseFile;
  /** The most memory the engine can ever take. */
  readonly memoryMb: number;
  /** Lets other work of the thread run between two slices of a long statement. */
  readonly pause: () => Promise<void>;
  /** Told which call a step begins for, and null when it has ended: a watcher in another thread sees what is stuck. */
  readonly onStep?: (call: SqlCall | null) => void;
}

/** What the engine takes for itself before any query: static data, stack, catalog. */
const OWN_MB = 16;
const SLICE_MS = 8;
/** Where the clock stands still during work, as it does on Workers, a slice still ends. */
const SLICE_STEPS = 64;

/** One DuckDB over one read-only database file. Statements of several callers take turns. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #instance: Instance;
  readonly #database: number;
  #caller: SqlCaller | null = null;
  #broken = false;

  private constructor(options: EngineOptions, instance: Instance) {
    this.#options = options;
    this.#instance = instance;
    this.#database = openDatabase(instance, options.file);
  }

  /** Instantiates an engine, opens the database, defines the functions and locks the configuration, in this order. */
  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options, await createInstance(options));
    engine.#prepareDatabase();
    return engine;
  }

  /** Whether it must be replaced. */
  get broken(): boolean {
    return this.#broken;
  }

  /** The memory it holds now; it never gives any back. */
  get memoryMb(): number {
    return this.#instance.heap.memory.buffer.byteLength / 2 ** 20;
  }

  async run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    if (request.mode === 'write') throw readonlyError();
    return this.#work(call, async (session, enter) => {
      const statement = enter(() => session.prepare(wrap(request.sql, request.maxRows + 1)));
      try {
        enter(() => {
          statement.bind(request.values);
          statement.start();
        });
        await this.#finish(statement, call, enter);
        return enter(() => toResult(this.#instance, statement, request.maxRows));
      } finally {
        if (!this.#broken) enter(() => statement.close());
      }
    });
  }

  /** Parses and plans a statement without running it. */
  async prepare(sql: string, mode: SqlRequest['mode'], call: SqlCall = UNLIMITED): Promise<void> {
    if (mode === 'write') throw readonlyError();
    await this.#work(call, async (session, enter) => {
      enter(() => session.prepare(wrap(sql, 1)).close());
    });
  }

  close(): void {
    const { call, heap, scratch } = this.#instance;
    if (!this.#broken) {
      heap.setU32(scratch, this.#database);
      call.duckdb_close(scratch);
    }
    this.#broken = true;
    this.#options.file.close();
  }

  /** One connection for one piece of work; a trap on the way marks the engine as broken. */
  async #work<T>(call: SqlCall, work: (session: Session, enter: Enter) => Promise<T>): Promise<T> {
    const enter: Enter = (step) => this.#enter(call, step);
    const session = enter(() => new Session(this.#instance, this.#database));
    try {
      return await work(session, enter);
    } finally {
      if (!this.#broken) enter(() => session.close());
    }
  }

  /** Every step into the engine names its caller anew, since another caller's step may have come between. */
  #enter<T>(call: SqlCall, step: () => T): T {
    if (this.#broken) throw new SvcError('database_unavailable', 'The database engine was replaced.');
    this.#caller = call.caller;
    this.#options.onStep?.(call);
    try {
      return step();
    } catch (thrown) {
      this.#broken = isBroken(thrown);
      throw toFailure(thrown);
    } finally {
      this.#caller = null;
      this.#options.onStep?.(null);
    }
  }

  async #finish(statement: Statement, call: SqlCall, enter: Enter): Promise<void> {
    const deadline = Date.now() + call.timeoutMs;
    while (!enter(() => runSlice(statement))) {
      await this.#options.pause();
      if (call.signal.aborted) throw new SvcError('cancelled', 'The call was cancelled.');
      if (Date.now() > deadline) throw deadlineError(call.timeoutMs);
    }
  }

  #prepareDatabase(): void {
    const session = new Session(this.#instance, this.#database);
    const functions = [...callerFunctions(() => this.#caller), ...calendarFunctions(Date.now)];
    for (const definition of functions) defineFunction(this.#instance, session.handle, definition);
    for (const setting of settings(this.#options.memoryMb)) session.query(`SET ${setting}`);
    session.close();
  }
}

const UNLIMITED: SqlCall = {
  caller: null,
  signal: new AbortController().signal,
  timeoutMs: Number.POSITIVE_INFINITY,
};

/** Runs one step inside the engine. */
type Enter = <T>(step: () => T) => T;

/** Out of time. */
export function deadlineError(timeoutMs: number): SvcError {
  return new SvcError('deadline_exceeded', `The query took longer than ${timeoutMs} ms.`);
}

/** As a derived table a statement can only be one that reads; the line break ends a trailing comment. */
function wrap(sql: string, limit: number): string {
  return `SELECT * FROM (${sql}\n) LIMIT ${limit}`;
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

/** In the order that matters: nothing can be changed after the last. */
function settings(memoryMb: number): readonly string[] {
  return [
    `memory_limit = '${Math.floor((memoryMb - OWN_MB) * 0.85)}MB'`,
    'enable_external_access = false',
    "disabled_filesystems = 'LocalFileSystem'",
    'lock_configuration = true',
  ];
}

/** What must be set before the database is opened. */
const CONFIGURATION = {
  access_mode: 'READ_ONLY',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
} as const;

function openDatabase(instance: Instance, file: DatabaseFile): number {
  const { call, heap, scratch, withText } = instance;
  call.duckdb_create_config(scratch);
  const config = heap.u32(scratch);
  for (const [name, value] of Object.entries(CONFIGURATION)) setOption(instance, config, name, value);
  heap.words(scratch, [0, 0, config]);
  const state = withText(mountPath(file), (at) => call.duckdb_open_ext(at, scratch, config, scratch + 4));
  const [database, error] = [heap.u32(scratch), heap.u32(scratch + 4)];
  call.duckdb_destroy_config(scratch + 8);
  if (state === 0) return database;
  throw openError(heap.cString(error), file.name);
}

function setOption({ call, withText }: Instance, config: number, name: string, value: string): void {
  const state = withText(name, (at) =>
    withText(value, (valueAt) => call.duckdb_set_config(config, at, valueAt)),
  );
  if (state !== 0) throw new SvcError('internal', `DuckDB has no option ${name}.`);
}

function openError(message: string, name: string): SvcError {
  if (toDuckdbError(message).code === 'memory_exceeded') return toDuckdbError(message);
  return new SvcError('database_unavailable', `The database ${name} cannot be opened: ${message}`);
}
