import type { DuckDBValue } from '@duckdb/node-api';
import { loadDriver } from '../driver/driver.ts';

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
  return {
    rows: async (sql, values = []) => (await connection.runAndReadAll(sql, [...values])).getRows(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
