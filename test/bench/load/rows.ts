import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import { STATEMENT } from '../projects.ts';

/** A row of the bench's database. */
export interface CustomerRow {
  readonly id: number;
  readonly text: string;
}

/** Opens the database with the bare driver. Each call has a connection of its own, which is the least that gives right answers. */
export async function openRows(path: string): Promise<(id: number) => Promise<CustomerRow>> {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(path, { access_mode: 'READ_ONLY' });
  return async (id) => {
    const connection = await instance.connect();
    try {
      const result = await connection.runAndReadAll(STATEMENT, ['Hello', id]);
      const [row = []] = result.getRows();
      return { id: Number(row[0]), text: String(row[1]) };
    } finally {
      connection.closeSync();
    }
  };
}
