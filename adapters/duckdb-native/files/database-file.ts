import type { DuckDBConnection } from '@duckdb/node-api';
import { loadDriver } from '../driver/driver.ts';
import { toOpenError, toQueryError } from '../errors.ts';

/** Our own scripts may read other files, which is how a database is filled, but they load no extensions from the network. */
const OPTIONS = {
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
};

/** Runs work on a database file, which is created if missing, and leaves one file without a log. */
export async function withFile<T>(
  path: string,
  options: Readonly<Record<string, string>>,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(path, { ...OPTIONS, ...options }).catch((thrown: unknown) => {
    throw toOpenError(path, false, thrown);
  });
  try {
    const connection = await instance.connect();
    try {
      await connection.run("SET TimeZone = 'UTC'");
      const result = await work(connection);
      await connection.run('CHECKPOINT');
      return result;
    } finally {
      connection.closeSync();
    }
  } catch (thrown) {
    throw toQueryError(thrown);
  } finally {
    instance.closeSync();
  }
}

/** A database file that is being filled. */
export interface Filling {
  run(sql: string): Promise<void>;
  /** Returns the first column of a query's rows as text. */
  column(sql: string, values?: readonly string[]): Promise<readonly string[]>;
}

/** The oldest storage version, which both engines of every version open. */
const STORAGE = { storage_compatibility_version: 'v1.0.0' };

/** Fills a database file, which is created if missing, and leaves one file without a log. */
export function fillDatabase<T>(path: string, work: (filling: Filling) => Promise<T>): Promise<T> {
  return withFile(path, STORAGE, (connection) =>
    work({
      async run(sql) {
        await connection.run(sql);
      },
      async column(sql, values = []) {
        const rows = (await connection.runAndReadAll(sql, [...values])).getRows();
        return rows.map(([value]) => String(value));
      },
    }),
  );
}
