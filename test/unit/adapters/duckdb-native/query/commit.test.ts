import type { DuckDBConnection } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadDriver } from '../../../../../adapters/duckdb-native/driver/driver.ts';
import { isCommitted } from '../../../../../adapters/duckdb-native/errors.ts';
import { Session } from '../../../../../adapters/duckdb-native/query/session.ts';
import { errorOf } from '../../../../engine/fixture.ts';

/*
 * Beside statements that take all memory, DuckDB 1.5 fails on COMMIT in each of these ways. The soak met the first one: the
 * write was repeated, and found its own row.
 */

const FULL = 'Out of Memory Error: failed to allocate data of size 2.0 KiB (255.9 MiB/256.0 MiB used)';

type Run = (sql: string) => Promise<unknown>;

/** Opens a session whose COMMITs go through `commit`, and a second connection. */
async function opened(commit: (run: () => Promise<unknown>, attempt: number) => Promise<unknown>) {
  const driver = await loadDriver();
  const instance = await driver.openInstance(':memory:');
  const [connection, other] = [await instance.connect(), await instance.connect()];
  onTestFinished(() => {
    connection.closeSync();
    other.closeSync();
    instance.closeSync();
  });
  await other.run('CREATE TABLE added (id BIGINT PRIMARY KEY)');
  const run: Run = (sql) => connection.run(sql);
  let attempt = 0;
  const failing = {
    run: (sql: string) => {
      if (!sql.endsWith('COMMIT')) return run(sql);
      attempt += 1;
      return commit(() => run(sql), attempt);
    },
  };
  const lease = { connection: failing as unknown as DuckDBConnection, release: () => {} };
  const session = await Session.open(driver, { connect: async () => lease });
  await session.run(['BEGIN TRANSACTION', 'INSERT INTO added VALUES (1)']);
  return { session, other, rows: async () => (await other.runAndReadAll('FROM added')).getRows().length };
}

const full = async (): Promise<never> => {
  throw new Error(FULL);
};

describe('a commit', () => {
  it('has succeeded if only its result found no memory', async () => {
    const { session, rows } = await opened(async (run, attempt) => {
      await run();
      if (attempt === 1) await full();
    });
    await session.commit();
    expect(await rows()).toBe(1);
  });

  it('is made by the second attempt if the first one found no memory to begin', async () => {
    const { session, rows } = await opened((run, attempt) => (attempt === 1 ? full() : run()));
    await session.commit();
    expect(await rows()).toBe(1);
  });

  it('has failed if DuckDB says so, and is not made again', async () => {
    let attempts = 0;
    const { session, other, rows } = await opened((run) => {
      attempts += 1;
      return run();
    });
    await other.run('INSERT INTO added VALUES (1)');
    expect((await errorOf(session.commit())).message).toMatch(/primary key/i);
    expect(attempts).toBe(1);
    expect(await rows()).toBe(1);
  });

  it('has failed with the first error if the transaction had failed before', async () => {
    const { session, rows } = await opened((run, attempt) => (attempt === 1 ? full() : run()));
    await errorOf(session.run(['INSERT INTO added VALUES (1)']));
    expect((await errorOf(session.commit())).code).toBe('memory_exceeded');
    expect(await rows()).toBe(0);
  });

  it('has succeeded if the checkpoint after a later attempt fails', async () => {
    const saved =
      'Out of Memory Error: Transaction COMMIT succeeded and is durable, but the autocheckpoint failed.';
    const { session } = await opened(async (_run, attempt) => {
      throw new Error(attempt === 1 ? FULL : saved);
    });
    expect(isCommitted(await errorOf(session.commit()))).toBe(true);
  });
});

describe('a commit of which no attempt tells the outcome', () => {
  it.each([
    'FATAL Error: Failed: database has been invalidated because of a previous fatal error.',
    'INTERRUPT Error: Interrupted!',
  ])('is unknown at once after %s', async (text) => {
    let attempts = 0;
    const { session } = await opened(async (run, attempt) => {
      attempts = attempt;
      if (attempt === 1) await run();
      throw new Error(attempt === 1 ? FULL : text);
    });
    expect((await errorOf(session.commit())).code).toBe('outcome_unknown');
    expect(attempts).toBe(2);
  });
});

describe('a commit whose second attempt finds no memory either', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is unknown', async () => {
    const { session } = await opened(full);
    const failed = errorOf(session.commit());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failed).toMatchObject({ code: 'outcome_unknown', cause: { code: 'memory_exceeded' } });
  });
});
