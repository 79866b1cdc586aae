import { loadDriver } from './driver.ts';
import { toOpenError, toQueryError } from './failure.ts';

/** A database file that is being filled. */
export interface Filling {
  run(sql: string): Promise<void>;
  /** The first column of a query's answer, as text. */
  column(sql: string, values?: readonly string[]): Promise<readonly string[]>;
}

/** The oldest form of file is what every engine of this kit opens; extensions are those that the driver brings along. */
const OPTIONS = {
  storage_compatibility_version: 'v1.0.0',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
};

/** Fills a database file, which is made where there is none; it is one whole file afterwards, without a log. */
export async function fillDatabase<T>(path: string, work: (filling: Filling) => Promise<T>): Promise<T> {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(path, OPTIONS).catch((thrown: unknown) => {
    throw toOpenError(path, false, thrown);
  });
  try {
    const connection = await instance.connect();
    const run = async (sql: string): Promise<void> => {
      await connection.run(sql);
    };
    try {
      await run("SET TimeZone = 'UTC'");
      const result = await work({
        run,
        async column(sql, values = []) {
          const rows = (await connection.runAndReadAll(sql, [...values])).getRows();
          return rows.map(([value]) => String(value));
        },
      });
      await run('CHECKPOINT');
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
