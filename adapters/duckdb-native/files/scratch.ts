import type { DuckDBValue } from '@duckdb/node-api';
import { loadDriver } from '../driver/driver.ts';

/** A database in memory that reads the files its statements name: for our own statements, never for a client's. */
export interface Scratch {
  rows(sql: string, values?: readonly DuckDBValue[]): Promise<readonly (readonly DuckDBValue[])[]>;
  close(): void;
}

/** Opens one; throws `database_unavailable` where the native engine is not installed. */
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
