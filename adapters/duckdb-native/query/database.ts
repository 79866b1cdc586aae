import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { enforceScan } from '../../../src/sql/estimate.ts';
import { hasOtherNames, type LaneEntry } from '../../../src/sql/lanes/lanes.ts';
import { toKept } from '../../../src/sql/lanes/may-keep.ts';
import { isFull } from '../../../src/sql/neighbours.ts';
import { asQuery, refuseRevealing } from '../../../src/sql/query.ts';
import { classify, readonlyProblem } from '../../../src/sql/statement.ts';
import { findVariantNames, refuseVariantNames, type VariantNames } from '../../../src/sql/variant-names.ts';
import type { Attachments } from '../attach/attachments.ts';
import type { Driver } from '../driver/driver.ts';
import type { Engine } from '../engine/engine.ts';
import {
  explainRemote,
  isCollateral,
  isCommitted,
  isConflict,
  isFatal,
  isSentAway,
  isUnknown,
  lostCommitError,
  overdueCommitError,
  sentAwayError,
} from '../errors.ts';
import type { AttachedNames } from './confine.ts';
import { FromDefinitions } from './from-definitions.ts';
import { NativeLane } from './lane.ts';
import { type LimitedWork, type Limits, withinLimits } from './limits.ts';
import {
  checkKind,
  isExplained,
  mayDefine,
  refuseFileReaders,
  refusePersistentSecrets,
} from './restrictions.ts';
import { createToResult, type ToResult } from './result.ts';
import { columnNames, type Prepared, Session } from './session.ts';
import { refuseStandIns } from './stand-ins.ts';
import { GUARDED_STRFTIME, StrftimeGuard } from './strftime.ts';

/** Interrupts repeat, because a statement that is just starting misses the first one. */
const CLOSE_EVERY_MS = 20;

/** Runs before a commit. If a function throws, nothing is committed. */
export interface OnCommit {
  /** Runs while the write can still be stopped. It may wait. */
  readonly ready: () => Promise<void>;
  /** Runs when nothing stops the write any more. */
  readonly committing: () => Promise<void>;
}

const NOTHING: OnCommit = { ready: async () => {}, committing: async () => {} };

/** The times that a write begins again after a conflict, and the longest pause before the first. Each pause is longer. */
const CONFLICTS = 10;
const PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;

/** The verbs of statements that write files. */
const EXPORTS: readonly string[] = ['COPY', 'EXPORT'];

/** The time that a closing database waits for statements that nothing ends, such as one that waits for a network. */
const CLOSE_MS = 5_000;

/** The native engine behind the `Database` port. */
export class NativeDatabase implements Database {
  readonly engine = 'duckdb-native';
  readonly readonly: boolean;
  readonly #driver: Driver;
  readonly #engine: Engine;
  readonly #toResult: ToResult;
  readonly #sessions = new Set<Session>();
  readonly #strftime = new StrftimeGuard();
  readonly #variants: FromDefinitions<VariantNames>;
  /** The names that a restriction needs (`SURROUNDINGS`). */
  readonly #surroundings: FromDefinitions<readonly JsonObject[]>;
  #closed = false;

  constructor(driver: Driver, engine: Engine, readonly: boolean) {
    this.readonly = readonly;
    this.#driver = driver;
    this.#engine = engine;
    this.#toResult = createToResult(driver);
    this.#variants = new FromDefinitions(engine.lanes);
    this.#surroundings = new FromDefinitions(engine.lanes);
  }

  /** Not if it shares the engine of a writer in this process. */
  get unchanging(): boolean {
    return this.#engine.readonly && !this.#reachesOut;
  }

  run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    return this.start(request, call).answer;
  }

  /** Starts a statement. `onCommit` runs before its writes are committed. A commit that has begun cannot be cancelled. */
  start(request: SqlRequest, call: SqlCall, onCommit: OnCommit = NOTHING): LimitedWork<SqlResult> {
    const { answer, ended } = withinLimits(call, async (limits) => {
      this.#checkMode(request);
      if (request.mode === 'write') return this.#takeWrite(request, call, { limits, onCommit });
      const { takeRead, neighbours } = this.#engine;
      const read = () => this.#untilAnswered(() => this.#takeRead(request, call, limits));
      return neighbours.run(() => takeRead(read, limits));
    });
    const explained = answer.catch((thrown) => {
      throw explainRemote(thrown);
    });
    return { answer: explained, ended };
  }

  async prepare(sql: string, mode: SqlRequest['mode']): Promise<readonly string[]> {
    this.#checkMode({ sql, mode });
    const prepareIn = async (session: Session): Promise<readonly string[]> => {
      await session.defineCallerMacros(sql, null);
      const prepared = await session.prepare(mode === 'read' ? asQuery(sql, 1) : sql, null);
      if (mode === 'read') return [];
      checkKind(this.#driver, prepared.statement, this.#engine.external);
      return columnNames(prepared.statement);
    };
    return this.#untilAnswered(() => this.#withSession(prepareIn, { sql }));
  }

  /** Waits a few seconds for running statements; those that nothing ends release the engine later. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, CLOSE_MS);
    await Promise.race([this.#release(), patience.promise]).finally(() => clearTimeout(timer));
  }

  async #release(): Promise<void> {
    while (this.#sessions.size > 0) {
      for (const session of this.#sessions) session.interrupt();
      await new Promise((resolve) => setTimeout(resolve, CLOSE_EVERY_MS));
    }
    await this.#engine.release();
  }

  /** Reads in a lane if the statement has proven itself, else on a connection of its own. */
  async #takeRead(request: SqlRequest, call: SqlCall, limits: Limits): Promise<SqlResult> {
    const { lanes } = this.#engine;
    // Lakes and files elsewhere change without our knowledge, and extensions bring functions that we do not know.
    const kept = this.#reachesOut ? null : toKept(request, call.caller);
    if (kept === null) return this.#readAlone(request, call, { limits });
    const entry = lanes.enter(kept.sql, kept.values.length);
    const answer = entry && (await this.#readInLane(kept, entry, limits));
    if (answer !== null) return answer;
    try {
      return await this.#readAlone(kept, call, { limits, generation: lanes.generation });
    } catch (thrown) {
      // An error shows the text as its author wrote it.
      if (kept === request || !(thrown instanceof SvcError) || thrown.code !== 'sql_failed') throw thrown;
      return this.#readAlone(request, call, { limits });
    }
  }

  /** Reads on a connection of its own. With a generation, the statement then is proven, unless it needs its caller. */
  #readAlone(
    request: SqlRequest,
    call: SqlCall,
    { limits, generation = null }: { readonly limits: Limits; readonly generation?: number | null },
  ): Promise<SqlResult> {
    const read = async (session: Session): Promise<SqlResult> => {
      const result = await this.#read(session, request, call);
      if (generation !== null && !session.hasCaller)
        this.#engine.lanes.prove(request.sql, request.values.length, generation);
      return result;
    };
    return this.#twice(() => this.#withSession(read, request, limits));
  }

  /** Reads in a lane. Null if the statement fits none. A lane that failed or was stopped is closed. */
  async #readInLane(
    request: SqlRequest,
    entry: LaneEntry<NativeLane>,
    limits: Limits,
  ): Promise<SqlResult | null> {
    const { lanes, instance } = this.#engine;
    limits.check();
    this.#checkOpen();
    let lane = entry.lane;
    let failed = true;
    const session = lane?.session ?? (await Session.open(this.#driver, instance));
    const end = async (): Promise<void> => {
      if (lane === null) await session.close();
      else if (failed || session.interrupted) lane.close();
      else lanes.leave(request.sql, lane, entry.generation);
    };
    const read = async (): Promise<SqlResult> => {
      lane ??= await NativeLane.prepare(session, request);
      const result = this.#toResult(await lane.run(request), request);
      failed = hasOtherNames(result);
      return result;
    };
    try {
      const result = await this.#within(session, read, { limits, end });
      if (!hasOtherNames(result)) return result;
    } catch (thrown) {
      const unfit = lane === null && thrown instanceof SvcError && thrown.code === 'sql_failed';
      if (!unfit) throw thrown;
    }
    lanes.disprove(request.sql);
    return null;
  }

  /**
   * Runs writes in turn. A write begins again if another process changed the same rows. It begins once more if it saved
   * nothing because its connection was lost, or because the database was opened again, or because others took the memory.
   */
  #takeWrite(
    request: SqlRequest,
    call: SqlCall,
    { limits, onCommit }: { readonly limits: Limits; readonly onCommit: OnCommit },
  ): Promise<SqlResult> {
    const { attachments, instance, takeWrite, takeExport, neighbours } = this.#engine;
    let committing = false;
    const commit = async (): Promise<void> => {
      await onCommit.ready();
      if (instance.restarting) throw sentAwayError();
      // A server that is attached may never answer.
      limits.commit(this.#attaches ? overdueCommitError() : undefined);
      committing = true;
      await onCommit.committing();
    };
    const write = (session: Session) => this.#write(session, request, call, commit);
    const attempt = async (conflicts: number, losses: number): Promise<SqlResult> => {
      try {
        return await this.#withSession(write, request, limits);
      } catch (thrown) {
        const conflict = isConflict(thrown) && conflicts < CONFLICTS;
        const gone = attachments.isLost(thrown) || isSentAway(thrown);
        const lost = gone && !committing && losses === 0;
        // DuckDB rolls back a commit that found no memory. An attached database may have kept it.
        const rolledBack = committing && isFull(thrown) && !this.#attaches;
        if (rolledBack || conflict || lost) {
          limits.rolledBack();
          committing = false;
        }
        if (committing && attachments.isLost(thrown)) throw lostCommitError(thrown);
        if (!conflict && !lost) throw thrown;
        if (conflict) await new Promise((resolve) => setTimeout(resolve, pauseAfter(conflicts)));
        return attempt(conflicts + (conflict ? 1 : 0), losses + (lost ? 1 : 0));
      }
    };
    const mayRepeat = () => !committing;
    const inTurn = () => takeWrite(() => attempt(0, 0), limits);
    const afterExports = () => takeExport(inTurn, limits);
    // It has no place while it waits for memory.
    return neighbours.run(this.#exports(request) ? afterExports : inTurn, { mayRepeat });
  }

  /** Whether a statement may write files. */
  #exports({ sql }: SqlRequest): boolean {
    return this.#engine.external && EXPORTS.includes(classify(sql).operation);
  }

  /** Runs work that saves nothing, and again each time the database was opened again meanwhile. Its limits end it. */
  async #untilAnswered<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (thrown) {
        if (!isSentAway(thrown)) throw thrown;
      }
    }
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
    request: SqlRequest,
    { caller }: Pick<SqlCall, 'caller'>,
  ): Promise<SqlResult> {
    const { sql, values, maxRows, confined = false, unattached = false, restricted } = request;
    const { readonly, external, builtIns } = this.#engine;
    if (!readonly && !external) refuseFileReaders(sql);
    const { attachments } = this.#engine;
    if (restricted !== undefined) {
      const read = () => session.surroundings();
      const around = await (this.#reachesOut ? read() : this.#surroundings.get(read));
      await session.restrict(sql, { tables: restricted, around, caller });
    } else if (confined && !this.#reachesOut) {
      const names = await this.#variants.get(() => findVariantNames((query) => session.rowsOf(query)));
      refuseVariantNames(sql, names);
    }
    const query = asQuery(sql, maxRows + 1);
    const reaches = external || attachments.names.length > 0;
    if (confined && restricted === undefined) {
      const attached = toAttachedNames(attachments, unattached);
      await (reaches ? session.confine(sql, { builtIns, attached }) : session.checkNames(query));
    }
    // A query can write too, for instance by nextval(). A read-only transaction forbids it.
    await session.defineCallerMacros(sql, caller, readonly ? [] : ['BEGIN TRANSACTION READ ONLY']);
    const prepared = await session.prepare(query, caller);
    try {
      const estimate = await estimateWithin(session, query, request);
      await session.bind(prepared, values);
      const outside = this.#reachesOut;
      const result = this.#toResult(await session.runInSlices(prepared, { outside }), request);
      return { ...result, ...estimate };
    } finally {
      prepared.statement.destroySync();
    }
  }

  async #write(
    session: Session,
    request: SqlRequest,
    { caller }: SqlCall,
    commit: () => Promise<void>,
  ): Promise<SqlResult> {
    refuseRevealing(request.sql);
    refuseStandIns(request.sql);
    refusePersistentSecrets(request.sql);
    if (!this.#engine.external) refuseFileReaders(request.sql);
    await session.defineCallerMacros(request.sql, caller);
    const prepared = await session.prepare(request.sql, caller);
    const { statement } = prepared;
    try {
      checkKind(this.#driver, statement, this.#engine.external);
      const estimate = isExplained(this.#driver, statement)
        ? await estimateWithin(session, request.sql, request)
        : {};
      await session.bind(prepared, request.values);
      const write = async (): Promise<SqlResult> => {
        await session.run(['BEGIN TRANSACTION']);
        const result = this.#toResult(await this.#runWrite(session, prepared), request);
        await commit();
        await this.#commit(session);
        return result;
      };
      const defines = mayDefine(this.#driver, statement);
      const result = await (defines ? this.#engine.lanes.change(write) : write());
      return { ...result, ...estimate };
    } finally {
      statement.destroySync();
    }
  }

  /**
   * Runs a write. DuckDB tries a failed upload again when it destroys the plan. The plan of a statement without parameters
   * lives as long as the statement, so its text runs in its place: that plan ends with its run, on the thread of the pool.
   */
  #runWrite(session: Session, prepared: Prepared): Promise<DuckDBMaterializedResult> {
    const mayUpload = this.#reachesOut && prepared.statement.parameterCount === 0;
    return mayUpload ? session.runText(prepared.sql) : session.runWhole(prepared);
  }

  /**
   * Commits. A later commit tries a failed checkpoint again. If DuckDB finds no memory while it adds rows to a table, it
   * leaves some of their columns and keys there, and later writes would save those in place of their own rows. So the
   * file is opened again.
   */
  async #commit(session: Session): Promise<void> {
    const { instance } = this.#engine;
    try {
      await session.commit({ outside: this.#attaches });
    } catch (thrown) {
      if (isCommitted(thrown)) {
        if (isFatal(thrown)) await instance.recover();
        return;
      }
      if (isFull(thrown) || isUnknown(thrown)) instance.reopen();
      throw thrown;
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
    await attachments.restore({ sql, unattached }, (restore) => instance.with(restore));
    const session = await Session.open(this.#driver, instance);
    const entered = async (): Promise<T> => {
      if (await this.#mayFormat(session, sql)) await session.run([GUARDED_STRFTIME]);
      for (const statement of attachments.entering(unattached)) await session.runText(statement);
      return work(session);
    };
    const end = () => session.close({ outside: this.#reachesOut });
    return this.#within(session, entered, { limits, end });
  }

  /** Runs work in a session that its limits and `close` interrupt, and ends its use. */
  async #within<T>(
    session: Session,
    work: () => Promise<T>,
    { limits, end }: { readonly limits: Limits | undefined; readonly end: () => Promise<void> },
  ): Promise<T> {
    this.#sessions.add(session);
    const release = limits?.onStop(() => session.interrupt());
    try {
      limits?.check();
      return await work();
    } catch (thrown) {
      throw await this.#afterFailure(thrown);
    } finally {
      release?.();
      await end();
      this.#sessions.delete(session);
    }
  }

  /** Whether a statement may call strftime. Definitions of other databases change without our knowledge. */
  async #mayFormat(session: Session, sql: string): Promise<boolean> {
    const { lanes } = this.#engine;
    return this.#reachesOut || lanes.changing || this.#strftime.isNeeded(session, sql, lanes.generation);
  }

  /** Whether statements may wait for a network. */
  get #reachesOut(): boolean {
    return this.#engine.outside || this.#attaches;
  }

  /** Whether a commit may be that of another database. */
  get #attaches(): boolean {
    return this.#engine.attachments.names.length > 0;
  }

  /** An internal error of DuckDB can invalidate the database for statements of other callers too. */
  async #afterFailure(thrown: unknown): Promise<unknown> {
    const { attachments, instance } = this.#engine;
    if (isFatal(thrown)) await instance.recover();
    return instance.restarting && isCollateral(thrown) ? sentAwayError(thrown) : attachments.explain(thrown);
  }

  #checkOpen(): void {
    if (this.#closed) throw new SvcError('database_unavailable', 'The database is closed.');
  }

  #checkMode({ sql, mode }: Pick<SqlRequest, 'sql' | 'mode'>): void {
    this.#checkOpen();
    if (mode === 'write' && this.readonly) {
      throw new SvcError(
        'database_readonly',
        `${readonlyProblem(sql, 'the database')} Set \`readonly: false\` for the database of the profile.`,
      );
    }
  }
}

function pauseAfter(conflicts: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** conflicts);
}

/** Estimates the scans of a statement under limits on them. Throws scan_too_large if they are beyond a limit. */
async function estimateWithin(
  session: Session,
  sql: string,
  { values, scan }: Pick<SqlRequest, 'values' | 'scan'>,
): Promise<Pick<SqlResult, 'estimate'>> {
  if (scan === undefined) return {};
  const estimate = await session.estimate(sql, values, scan.bytes !== undefined);
  enforceScan(estimate, scan);
  return { estimate };
}

/** Hides the databases beside the project's own from a caller's statement if `unattached` is set. */
function toAttachedNames({ names, own }: Attachments, unattached: boolean): AttachedNames {
  if (!unattached) return { open: names, hidden: [] };
  return { open: names.filter((name) => name === own), hidden: names.filter((name) => name !== own) };
}
