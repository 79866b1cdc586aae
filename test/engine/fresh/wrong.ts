import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import { toQueryError } from '../../../adapters/duckdb-native/errors.ts';
import { defineNamed } from '../../../adapters/duckdb-native/query/caller-macros.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { asQuery } from '../../../src/sql/query.ts';

/**
 * A deliberately wrong database: it has one connection for all callers and keeps each statement as it was first planned,
 * with the identity of its first caller. Calls take turns, so that it is wrong in the same way each time.
 */
export async function openKeepingPlans(path: string): Promise<Database> {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(path);
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const plans = new Map<string, DuckDBPreparedStatement>();

  async function planOf({ sql, mode, maxRows }: SqlRequest, { caller }: SqlCall) {
    const kept = plans.get(sql);
    if (kept !== undefined) return kept;
    for (const macro of defineNamed(sql, caller)) await connection.run(macro);
    const plan = await connection.prepare(mode === 'read' ? asQuery(sql, maxRows + 1) : sql);
    plans.set(sql, plan);
    return plan;
  }

  async function runKept(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    try {
      const plan = await planOf(request, call);
      plan.bind(request.values.map((value) => (typeof value === 'bigint' ? value : String(value))));
      const rows = (await plan.runAndReadAll()).getRowObjectsJson();
      return { columns: [], rows: rows as SqlResult['rows'], truncated: false };
    } catch (thrown) {
      throw toQueryError(thrown);
    }
  }

  let last: Promise<unknown> = Promise.resolve();
  return {
    engine: 'duckdb-native',
    readonly: false,
    run: (request, call) => {
      const result = last.then(() => runKept(request, call));
      last = result.catch(() => {});
      return result;
    },
    prepare: async () => [],
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** A deliberately wrong database: it answers a statement with the same values as the first time, for every caller. */
export function cacheAcrossCallers(database: Database): Database {
  const answers = new Map<string, Promise<SqlResult>>();
  return {
    engine: database.engine,
    readonly: database.readonly,
    run: (request, call) => {
      const key = [request.mode, request.sql, ...request.values].join('|');
      const answer = answers.get(key) ?? database.run(request, call);
      answers.set(key, answer);
      return answer;
    },
    prepare: (sql, mode) => database.prepare(sql, mode),
    close: () => database.close(),
  };
}
