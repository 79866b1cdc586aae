import { cancelledError, deadlineError } from '../../../src/errors.ts';
import { type JsonObject, type JsonValue, tryJson } from '../../../src/json.ts';
import type { RestrictedTable, ScanEstimate, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { enforceScan, estimateScans, explainOf } from '../../../src/sql/estimate.ts';
import { asQuery, calledFunction, rejection } from '../../../src/sql/query.ts';
import {
  findVariantNames,
  refuseVariantNames,
  refuseVisibleVariants,
  type VariantNames,
} from '../../../src/sql/variant-names.ts';
import { toResult } from '../query/result.ts';
import type { Session, Statement } from '../query/session.ts';
import type { Entrance } from './entrance.ts';
import type { Instance } from './instance.ts';
import type { EngineStep } from './steps.ts';

const variantNames = new WeakMap<Instance, VariantNames>();
/** The names that a restriction needs. */
const surroundings = new WeakMap<Instance, readonly JsonObject[]>();

const SLICE_MS = 8;
/** Ends a slice on platforms whose clock stands still during work, such as Workers. */
const SLICE_STEPS = 16;

/** The connection of one call. */
export class Connection {
  readonly #instance: Instance;
  readonly #entrance: Entrance;
  readonly #session: Session;

  constructor(instance: Instance, entrance: Entrance, session: Session) {
    this.#instance = instance;
    this.#entrance = entrance;
    this.#session = session;
  }

  /** Runs a statement. Before that, restricts its tables and checks its scan limits if the request has any. */
  async read(request: SqlRequest): Promise<SqlResult> {
    const { sql, values, maxRows, confined, restricted, scan } = request;
    if (confined) refuseUnsound(sql);
    if (restricted !== undefined) await this.#restrict(sql, restricted);
    else if (confined) {
      const find = () => findVariantNames((query) => this.#rowsOf(query));
      refuseVariantNames(sql, await this.#kept(variantNames, find));
    }
    const query = { sql: asQuery(sql, maxRows + 1), values };
    const estimate = scan && (await this.#estimate(query, scan));
    const result = await this.#execute(query, (read) => toResult(this.#instance, read, request));
    const { waits } = this.#entrance;
    return {
      ...result,
      ...(estimate === undefined ? {} : { estimate }),
      ...(waits === null ? {} : { fetched: waits.spent }),
    };
  }

  /** Parses and plans a query without running it. */
  async plan(sql: string): Promise<void> {
    await this.#prepared(asQuery(sql, 1), async () => {});
  }

  /** The plan of a statement, as DuckDB writes it in JSON. */
  explain({ sql, values }: Query): Promise<JsonValue> {
    return this.#execute({ sql: explainOf(sql), values }, (read) => {
      const [row] = toResult(this.#instance, read, { maxRows: 1 }).rows;
      return tryJson(String(row?.explain_value)) ?? null;
    });
  }

  /** Estimates a statement's scans from its plan. Throws scan_too_large if they are beyond the limits. */
  async #estimate(
    { sql, values }: Query,
    scan: Exclude<SqlRequest['scan'], undefined>,
  ): Promise<ScanEstimate> {
    const estimate = estimateScans(await this.explain({ sql, values }), null);
    enforceScan(estimate, scan);
    return estimate;
  }

  /** What follows from the definitions of the database. It never changes. */
  async #kept<T>(values: WeakMap<Instance, T>, read: () => Promise<T>): Promise<T> {
    const known = values.get(this.#instance);
    if (known !== undefined) return known;
    const value = await read();
    values.set(this.#instance, value);
    return value;
  }

  /** The rows of an internal query. */
  async #rowsOf(sql: string): Promise<readonly JsonObject[]> {
    return (await this.#entrance.enter(() => this.#session.query(sql))).rows;
  }

  /** Leaves a caller's own query nothing but the restricted tables (`prepareRestricted`). */
  async #restrict(sql: string, tables: readonly RestrictedTable[]): Promise<void> {
    const { prepareRestricted, SURROUNDINGS, toPreparationError } = await import(
      '../../../src/sql/restricted/relations.ts'
    );
    const around = await this.#kept(surroundings, () => this.#rowsOf(SURROUNDINGS));
    const preparations = prepareRestricted(sql, tables, around);
    for (const preparation of preparations) {
      await this.#execute(preparation, () => null).catch((thrown: unknown) => {
        throw toPreparationError(thrown, preparation);
      });
    }
    await refuseVisibleVariants(sql, preparations, (query) => this.#rowsOf(query));
  }

  /** Runs one statement in slices. */
  async #execute<T>({ sql, values }: Query, read: (result: number) => T): Promise<T> {
    const entrance = this.#entrance;
    return this.#prepared(sql, async (statement) => {
      await entrance.enter(() => entrance.begin(statement, values));
      await finish(statement, entrance);
      return entrance.enter(() => readWith(statement, read));
    });
  }

  #prepared<T>(sql: string, work: (statement: Statement) => Promise<T>): Promise<T> {
    const prepare = (): EngineStep<Statement> => this.#entrance.prepare(this.#session, sql);
    return this.#entrance.using(prepare, (statement) => statement.close(), work);
  }
}

/** Functions that trust their arguments here: DuckDB checks the size of a geometry with a product that overflows in 32 bits. */
const UNSOUND = /^"?st_geomfromwkb"?$/i;

function refuseUnsound(sql: string): void {
  const name = calledFunction(sql, UNSOUND);
  if (name !== undefined) throw rejection(name);
}

/** A statement with the values of its parameters. */
type Query = Pick<SqlRequest, 'sql' | 'values'>;

/** Runs a statement that was started to its end, in slices. */
export async function finish(statement: Statement, entrance: Entrance): Promise<void> {
  const { call, waits, deadline } = entrance;
  while (!(await entrance.enter(() => runSlice(statement)))) {
    // A scan whose blocks are fetched ahead may never wait.
    waits?.check();
    await entrance.pause();
    if (call.signal.aborted) throw cancelledError();
    if (Date.now() > deadline) throw deadlineError('The query', call.timeoutMs);
  }
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
