import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import type { SqlRequest } from '../../../src/ports.ts';
import { type Lane, WITHOUT_SEEDS } from '../../../src/sql/lanes/lanes.ts';
import { asBareQuery, asQuery, isSameBare } from '../../../src/sql/query.ts';
import { columnNames, type Prepared, type Session } from './session.ts';
import { GUARDED_STRFTIME } from './strftime.ts';

/** A connection that keeps one prepared statement. It never has user functions, so no plan knows a caller. */
export class NativeLane implements Lane {
  readonly session: Session;
  readonly #prepared: Prepared;

  private constructor(session: Session, prepared: Prepared) {
    this.session = session;
    this.#prepared = prepared;
  }

  /** Prepares a proven statement. The number of rows is its last parameter. Throws sql_failed if it fits no lane. */
  static async prepare(session: Session, { sql, values }: SqlRequest): Promise<NativeLane> {
    await session.run([GUARDED_STRFTIME, WITHOUT_SEEDS]);
    const limit = `$${values.length + 1}` as const;
    const wrapped = asQuery(sql, limit);
    const bare = await planBare(session, asBareQuery(sql, limit));
    return new NativeLane(session, bare ?? (await session.plan(wrapped)));
  }

  /**
   * Plans the statement anew and runs it. DuckDB would answer from a plan of an earlier day, with the rows and the time
   * of that day, but an INTEGER for its LIMIT, which is a BIGINT, makes it plan again.
   */
  async run({ values, maxRows }: SqlRequest): Promise<DuckDBMaterializedResult> {
    await this.session.bind(this.#prepared, [...values, BigInt(maxRows + 1)]);
    return this.session.runShort(this.#prepared);
  }

  close(): void {
    this.#prepared.statement.destroySync();
    void this.session.close();
  }
}

/** Plans a proven statement as a bare query. Null if DuckDB refuses it, or if its columns would have other names. */
async function planBare(session: Session, sql: string): Promise<Prepared | null> {
  const prepared = await session.plan(sql).catch(nullIfFailed);
  if (prepared === null) return null;
  const { statement } = prepared;
  if (isSameBare(columnNames(statement))) return prepared;
  statement.destroySync();
  return null;
}

function nullIfFailed(thrown: unknown): null {
  if (thrown instanceof SvcError && thrown.code === 'sql_failed') return null;
  throw thrown;
}
