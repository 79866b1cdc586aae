import { SvcError } from '../../../src/errors.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { asQuery, refuseRevealing } from '../../../src/sql/query.ts';
import type { Driver } from '../driver/driver.ts';
import type { Engine } from '../engine/engine.ts';
import { isCollateral, isFatal, lostError } from '../errors.ts';
import type { AttachedNames } from './confine.ts';
import { createDecoders, type DecoderOf } from './decode.ts';
import { type LimitedWork, type Limits, withinLimits } from './limits.ts';
import { checkKind, refuseFileReaders, refusePersistentSecrets } from './restrictions.ts';
import { toResult } from './result.ts';
import { Session } from './session.ts';
import { refuseStandIns } from './stand-ins.ts';

/** Interrupts repeat, because a statement that is just starting misses the first one. */
const CLOSE_EVERY_MS = 20;

/** Runs before a commit. If it throws, nothing is committed. */
export type OnCommit = () => Promise<void>;

/** The native engine behind the `Database` port. */
export class NativeDatabase implements Database {
  readonly engine = 'duckdb-native';
  readonly readonly: boolean;
  readonly #driver: Driver;
  readonly #engine: Engine;
  readonly #decoderOf: DecoderOf;
  readonly #sessions = new Set<Session>();
  #closed = false;

  constructor(driver: Driver, engine: Engine, readonly: boolean) {
    this.readonly = readonly;
    this.#driver = driver;
    this.#engine = engine;
    this.#decoderOf = createDecoders(driver);
  }

  run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    return this.start(request, call).answer;
  }

  /** Starts a statement. `onCommit` runs before what it wrote is committed, which nothing stops any more. */
  start(request: SqlRequest, call: SqlCall, onCommit: OnCommit = async () => {}): LimitedWork<SqlResult> {
    return withinLimits(call, async (limits) => {
      this.#checkMode(request.mode);
      const { takeRead, takeWrite } = this.#engine;
      if (request.mode === 'read') {
        const read = (session: Session) => this.#read(session, request, call);
        return takeRead(() => this.#twice(() => this.#withSession(read, request, limits)), limits);
      }
      const committing = async (): Promise<void> => {
        limits.commit();
        await onCommit();
      };
      const write = (session: Session) => this.#write(session, request, call, committing);
      return takeWrite(() => this.#withSession(write, request, limits), limits);
    });
  }

  async prepare(sql: string, mode: SqlRequest['mode']): Promise<void> {
    this.#checkMode(mode);
    const prepareIn = async (session: Session): Promise<void> => {
      await session.defineCallerMacros(sql, null);
      const prepared = await session.prepare(mode === 'read' ? asQuery(sql, 1) : sql, null);
      if (mode === 'write') checkKind(this.#driver, prepared.statement, this.#engine.external);
    };
    await this.#withSession(prepareIn, { sql });
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

  /** Runs a read once more if it found a connection lost that another one can replace. */
  async #twice<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (!this.#engine.attachments.isLost(thrown)) throw thrown;
      return work();
    }
  }

  async #read(
    session: Session,
    { sql, values, maxRows, confined = false, unattached = false, restricted }: SqlRequest,
    { caller }: Pick<SqlCall, 'caller'>,
  ): Promise<SqlResult> {
    const { readonly, external, builtIns } = this.#engine;
    if (!readonly && !external) refuseFileReaders(sql);
    const names = this.#engine.attachments.names;
    if (restricted !== undefined) await session.restrict(sql, restricted, caller);
    else if (confined && (external || names.length > 0)) {
      await session.confine(sql, { builtIns, attached: toAttachedNames(names, unattached) });
    }
    // A query can write too, for instance by nextval(). A read-only transaction forbids it.
    await session.defineCallerMacros(sql, caller, readonly ? [] : ['BEGIN TRANSACTION READ ONLY']);
    const prepared = await session.prepare(asQuery(sql, maxRows + 1), caller);
    try {
      await session.bind(prepared, values);
      return toResult(await session.runInSlices(prepared), this.#decoderOf, maxRows);
    } finally {
      prepared.statement.destroySync();
    }
  }

  async #write(
    session: Session,
    request: SqlRequest,
    { caller }: SqlCall,
    onCommit: OnCommit,
  ): Promise<SqlResult> {
    refuseRevealing(request.sql);
    refuseStandIns(request.sql);
    refusePersistentSecrets(request.sql);
    if (!this.#engine.external) refuseFileReaders(request.sql);
    await session.defineCallerMacros(request.sql, caller);
    const prepared = await session.prepare(request.sql, caller);
    try {
      checkKind(this.#driver, prepared.statement, this.#engine.external);
      await session.bind(prepared, request.values);
      await session.run(['BEGIN TRANSACTION']);
      const result = toResult(await session.runWhole(prepared), this.#decoderOf, request.maxRows);
      await onCommit();
      await session.run(['COMMIT']);
      return result;
    } finally {
      prepared.statement.destroySync();
    }
  }

  async #withSession<T>(
    work: (session: Session) => Promise<T>,
    { sql, unattached = false }: Pick<SqlRequest, 'sql' | 'unattached'>,
    limits?: Limits,
  ): Promise<T> {
    limits?.check();
    this.#checkOpen();
    const { attachments, instance } = this.#engine;
    if (!unattached) await attachments.restore(sql, (restore) => instance.with(restore));
    const session = await Session.open(this.#driver, instance);
    this.#sessions.add(session);
    const release = limits?.onStop(() => session.interrupt());
    try {
      limits?.check();
      if (!unattached) await session.run(attachments.entering);
      return await work(session);
    } catch (thrown) {
      throw await this.#afterFailure(thrown);
    } finally {
      release?.();
      this.#sessions.delete(session);
      session.close();
    }
  }

  /** An internal error of DuckDB can invalidate the database for statements of other callers too. */
  async #afterFailure(thrown: unknown): Promise<unknown> {
    const { attachments, instance } = this.#engine;
    if (isFatal(thrown)) await instance.recover();
    return instance.restarting && isCollateral(thrown) ? lostError(thrown) : attachments.explain(thrown);
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

/** Hides the attached databases from a caller's statement if `unattached` is set. */
function toAttachedNames(names: readonly string[], unattached: boolean): AttachedNames {
  return unattached ? { open: [], hidden: names } : { open: names, hidden: [] };
}
