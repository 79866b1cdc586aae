import { withFile } from './file.ts';

/** A database file that is being filled. */
export interface Filling {
  run(sql: string): Promise<void>;
  /** The first column of a query's answer, as text. */
  column(sql: string, values?: readonly string[]): Promise<readonly string[]>;
}

/** The oldest form of file is what every engine of this kit opens; extensions are those that the driver brings along. */
const OPTIONS = { storage_compatibility_version: 'v1.0.0' };

/** Fills a database file, which is made where there is none; it is one whole file afterwards, without a log. */
export function fillDatabase<T>(path: string, work: (filling: Filling) => Promise<T>): Promise<T> {
  return withFile(path, OPTIONS, (connection) =>
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
