import type { DuckDBConnection } from '@duckdb/node-api';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';

/** What DuckDB itself makes of a SQL text; null when it does not parse it. */
export interface Reading {
  readonly count: number;
  /** Parameter names in lower case, a list for each statement; null for one that DuckDB cannot plan. */
  readonly names: readonly (readonly string[] | null)[];
}

/** A real, empty DuckDB. */
export async function openDuckDb(): Promise<DuckDBConnection> {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(':memory:');
  return instance.connect();
}

export async function readByDuckDb(connection: DuckDBConnection, sql: string): Promise<Reading | null> {
  const extracted = await connection.extractStatements(sql).catch(() => null);
  if (extracted === null) return null;
  const names: (readonly string[] | null)[] = [];
  for (let index = 0; index < extracted.count; index += 1) {
    const prepared = await extracted.prepare(index).catch(() => null);
    names.push(
      prepared &&
        Array.from({ length: prepared.parameterCount }, (_, at) =>
          prepared.parameterName(at + 1).toLowerCase(),
        ),
    );
    prepared?.destroySync();
  }
  return { count: extracted.count, names };
}
