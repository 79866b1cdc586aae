import type { DuckDBValue } from '@duckdb/node-api';
import { loadDriver } from '../driver/driver.ts';
import { tracked } from '../driver/process-exit.ts';

/** A database in memory whose statements may read files: for internal statements, never for a client's. */
export interface Scratch {
  rows(sql: string, values?: readonly DuckDBValue[]): Promise<readonly (readonly DuckDBValue[])[]>;
  close(): void;
}

/** Opens a database in memory; throws `database_unavailable` if the native engine is not installed. */
export async function openScratch(): Promise<Scratch> {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  // A process that exits does not wait for a long statement.
  const interruption = { interrupt: () => connection.interrupt(), since: () => null };
  return {
    rows: (sql, values = []) =>
      tracked(interruption, async () => (await connection.runAndReadAll(sql, [...values])).getRows()),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
