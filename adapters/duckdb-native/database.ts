import { SvcError } from '../../src/errors.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../src/ports.ts';
import { asQuery, calledFunction, rejection } from '../../src/sql/query.ts';
import { createDecode, type Decode } from './decode.ts';
import type { Driver } from './driver.ts';
import type { Engine } from './engine.ts';
import { type Limits, withinLimits } from './limits.ts';
import { toResult } from './result.ts';
import { type Prepared, Session } from './session.ts';

/** Interrupting again: a statement that just begins does not notice the first time. */
const CLOSE_EVERY_MS = 20;

/** The native engine behind the `Database` port. */
export class NativeDatabase implements Database {
  readonly engine = 'duckdb-native';
  readonly readonly: boolean;
  readonly #driver: Driver;
  readonly #engine: Engine;
  readonly #decode: Decode;
  readonly #sessions = new Set<Session>();
  #closed = false;

  constructor(driver: Driver, engine: Engine, readonly: boolean) {
    this.readonly = readonly;
    this.#driver = driver;
    this.#engine = engine;
    this.#decode = createDecode(driver);
  }

  async run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    this.#checkMode(request.mode);
    const { takeTurn } = this.#engine;
    return withinLimits(call, (limits) => {
      if (request.mode === 'read') {
        return this.#withSession((session) => this.#read(session, request, call), limits);
      }
      return takeTurn(() =>
        this.#withSession((session) => this.#write(session, request, call, limits), limits),
      );
    });
  }

  async prepare(sql: string, mode: SqlRequest['mode']): Promise<void> {
    this.#checkMode(mode);
    await this.#withSession(async (session) => {
      await session.introduce(sql, null);
      checkKind(this.#driver, await session.prepare(mode === 'read' ? asQuery(sql, 1) : sql, null));
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#sessions.size > 0) {
      for (const session of this.#sessions) session.interrupt();
      await new Promise((resolve) => setTimeout(resolve, CLOSE_EVERY_MS));
    }
    await this.#engine.release();
  }

  async #read(
    session: Session,
    { sql, values, maxRows }: SqlRequest,
    { caller }: SqlCall,
  ): Promise<SqlResult> {
    if (!this.#engine.readonly) refuseFiles(sql);
    // A query can write too, by nextval() for one; on a database open for writing its transaction forbids it.
    await session.introduce(sql, caller, this.#engine.readonly ? [] : ['BEGIN TRANSACTION READ ONLY']);
    const prepared = await session.prepare(asQuery(sql, maxRows + 1), caller);
    try {
      await session.bind(prepared, values);
      return toResult(await session.runInSlices(prepared), this.#decode, maxRows);
    } finally {
      prepared.statement.destroySync();
    }
  }

  async #write(
    session: Session,
    request: SqlRequest,
    { caller }: SqlCall,
    limits: Limits,
  ): Promise<SqlResult> {
    refuseSecrets(request.sql);
    await session.introduce(request.sql, caller);
    const prepared = await session.prepare(request.sql, caller);
    try {
      checkKind(this.#driver, prepared);
      await session.bind(prepared, request.values);
      await session.run(['BEGIN TRANSACTION']);
      const result = toResult(await session.runWhole(prepared), this.#decode, request.maxRows);
      limits.commit();
      await session.run(['COMMIT']);
      return result;
    } finally {
      prepared.statement.destroySync();
    }
  }

  async #withSession<T>(work: (session: Session) => Promise<T>, limits?: Limits): Promise<T> {
    limits?.check();
    this.#checkOpen();
    const session = await Session.open(this.#driver, this.#engine);
    this.#sessions.add(session);
    const release = limits?.onStop(() => session.interrupt());
    try {
      limits?.check();
      return await work(session);
    } finally {
      release?.();
      this.#sessions.delete(session);
      session.close();
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new SvcError('database_unavailable', 'The database is closed.');
  }

  #checkMode(mode: SqlRequest['mode']): void {
    this.#checkOpen();
    if (mode === 'write' && this.readonly) {
      throw new SvcError(
        'database_readonly',
        'The database is open read-only, and the statement writes. Set `readonly: false` for the database of the profile.',
      );
    }
  }
}

/** The functions of DuckDB that read files. */
const FILE_READERS = /^"?(read_\w+|sniff_csv|parquet_\w+|glob)"?$/i;

/** A database open for writing has its file system, and there DuckDB allows its own file: dropped rows included. */
function refuseFiles(sql: string): void {
  const name = calledFunction(sql, FILE_READERS);
  if (name !== undefined) throw rejection(name);
}

/** DuckDB shows some secrets as they are. */
function refuseSecrets(sql: string): void {
  if (/\bduckdb_secrets\b/i.test(sql)) throw rejection('duckdb_secrets');
}

/** Each statement that writes has its own transaction, so it cannot be about one. */
function checkKind({ api }: Driver, { statement }: Prepared): void {
  if (statement.statementType !== api.StatementType.TRANSACTION) return;
  throw new SvcError('sql_failed', 'The statement begins or ends a transaction; each statement has its own.');
}
