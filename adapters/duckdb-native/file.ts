import type { DuckDBConnection } from '@duckdb/node-api';
import { loadDriver } from './driver.ts';
import { toOpenError, toQueryError } from './failure.ts';

/** Whoever writes a file may read others, which is how it is filled, but downloads no code. */
const OPTIONS = {
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
};

/** Works on a database file, which is made where there is none, and leaves one whole file, without a log. */
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
