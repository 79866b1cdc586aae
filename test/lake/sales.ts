import { afterAll, afterEach, beforeAll } from 'vitest';
import type { NativeDatabase } from '../../adapters/duckdb-native/query/database.ts';
import type { Database } from '../../src/ports.ts';
import { callOf, read, write } from '../engine/fixture.ts';
import { type Home, LAKE, type Lake, POSTGRES, startLake } from './lake.ts';

/* A lake with sales, to which tests do what the outside may do: real Postgres, and moto behind a faulty proxy. */

export const SLOW = 180_000;
export const PLANTED = /planted/;
export const TOOL = `svc: 1
tool:
  name: total
  description: The total.
  source: { code: SELECT count(*) AS n FROM sales }
`;

/** The lake of a test file, and the database that writes to it. */
export interface Sales {
  readonly lake: Lake;
  readonly writer: NativeDatabase;
}

/** Starts the lake before the tests of a file. The returned function is for tests and hooks. */
export function useSales(): () => Sales {
  let sales: Sales | undefined;
  const started = (): Sales => {
    if (sales === undefined) throw new Error('the lake has not started');
    return sales;
  };
  beforeAll(async () => {
    const lake = await startLake();
    const writer = await lake.open({ ...LAKE, readonly: false });
    sales = { lake, writer };
    await write(writer, 'CREATE TABLE sales AS SELECT i AS id, 0 AS amount FROM range(1000) t(i)');
    const database = await lake.open({ ...POSTGRES, readonly: false });
    await write(database, 'CREATE TABLE public.plain AS SELECT i AS id, 0 AS amount FROM range(1000) t(i)');
    await database.close();
  }, SLOW);
  afterAll(async () => {
    await sales?.writer.close();
    await sales?.lake.stop();
  }, SLOW);
  afterEach(() => started().lake.proxy.set(null));
  return started;
}

/** A writer with an engine of its own: one process shares the engine of databases that are attached alike. */
export const openOther = (lake: Lake, home: Home) => lake.open({ ...home, readonly: false, required: true });

export const total = (database: Database) =>
  read(database, 'SELECT count(*)::INTEGER AS n FROM sales').then(({ rows }) => rows[0]?.n);
export const plain = (database: Database) =>
  read(database, 'SELECT count(*)::INTEGER AS n FROM plain').then(({ rows }) => rows[0]?.n);
export const insert = (database: Database, timeoutMs = 30_000) =>
  database.run(
    {
      sql: 'INSERT INTO sales SELECT i, 0 FROM range($1::BIGINT) t(i)',
      values: [100],
      mode: 'write',
      maxRows: 1,
    },
    callOf({ timeoutMs }),
  );
/** Everything that an error shows. */
export const textOf = (error: Error): string =>
  `${error.message} ${JSON.stringify(error)} ${String(error.cause)}`;
