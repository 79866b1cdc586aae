import { SvcError } from '../src/errors.ts';

/** Writes a database's log into its file, with the native engine: the only one that writes. */
export async function checkpoint(file: string): Promise<void> {
  const { DuckDBInstance } = await loadDriver();
  try {
    // one thread: the blocks land in the same order each time
    const instance = await DuckDBInstance.create(file, { threads: '1' });
    const connection = await instance.connect();
    try {
      await connection.run('CHECKPOINT');
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SvcError(
      'database_unavailable',
      `The log of the database cannot be written into it: ${reason}`,
      {
        cause,
      },
    );
  }
}

async function loadDriver(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    const fix = 'Install it with `npm install @duckdb/node-api`, or run CHECKPOINT on the database first.';
    throw new SvcError(
      'database_unavailable',
      `The database has a log, which needs the native engine. ${fix}`,
      {
        cause,
      },
    );
  }
}
