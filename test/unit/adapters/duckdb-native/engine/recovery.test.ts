import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadDriver } from '../../../../../adapters/duckdb-native/driver/driver.ts';
import { isCommitted, toQueryError } from '../../../../../adapters/duckdb-native/errors.ts';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import type { NativeOptions } from '../../../../../adapters/duckdb-native/options.ts';
import type { NativeDatabase } from '../../../../../adapters/duckdb-native/query/database.ts';
import { answerOf, callOf, errorOf, read, write } from '../../../../engine/fixture.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';

/** DuckDB fails inside of itself on this, and then refuses everything. */
const FATAL = "SELECT {'k': $1}, $1::INTEGER";
const RUNAWAY = 'SELECT count(*) FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = 3';

async function opened(options: Partial<NativeOptions>): Promise<{ database: NativeDatabase; path: string }> {
  const folder = temporaryFolder();
  const path = join(folder, 'data.duckdb');
  await runScript(path, 'CREATE TABLE notes AS SELECT i FROM range(10) t(i)');
  const database = await openNative({ path, readonly: true, ...options });
  onTestFinished(() => database.close());
  return { database, path };
}

describe('a database that DuckDB has given up', () => {
  it.each([true, false])('is there again for the next call (readonly: %s)', async (readonly) => {
    const { database } = await opened({ readonly });
    for (let round = 0; round < 3; round += 1) {
      const error = await errorOf(read(database, FATAL, [1n]));
      expect(error.code).toBe('database_unavailable');
      expect(error.message).toMatch(/^INTERNAL Error: .*/);
      expect(error.message).not.toContain('Stack Trace');
      expect(await answerOf(database, 'count(*) FROM notes')).toBe(10);
    }
  });

  it('keeps what was committed, and answers whoever was in it', async () => {
    const { database } = await opened({ readonly: false });
    await write(database, 'INSERT INTO notes VALUES (10)');
    const long = 'count(*) FROM range(40000000) t(i) WHERE hash(i) % 7 = 3';
    const expected = await answerOf(database, long);
    const running = [answerOf(database, long), answerOf(database, long)];
    const writing = write(database, `CREATE TABLE counted AS SELECT ${long}`);
    await answerOf(database, '1');
    await errorOf(read(database, FATAL, [1n]));
    expect(await Promise.all(running)).toEqual([expected, expected]);
    await writing;
    expect(await answerOf(database, 'count(*) FROM notes, counted')).toBe(11);
    await write(database, 'INSERT INTO notes VALUES (11)');
    expect(await answerOf(database, 'count(*) FROM notes')).toBe(12);
  });

  it('takes the write that was about to be committed once more', async () => {
    const { database } = await opened({ readonly: false });
    let attempts = 0;
    const ready = async (): Promise<void> => {
      attempts += 1;
      if (attempts === 1) await errorOf(read(database, FATAL, [1n]));
    };
    const insert = { sql: 'INSERT INTO notes VALUES (10)', values: [], mode: 'write', maxRows: 1 } as const;
    const { answer } = database.start(insert, callOf(), { ready, committing: async () => {} });
    expect((await answer).rows).toEqual([{ Count: 1 }]);
    expect(attempts).toBe(2);
    expect(await answerOf(database, 'count(*) FROM notes')).toBe(11);
  });

  it('does not answer beyond the time of a statement that was in it', async () => {
    const { database } = await opened({ readonly: false });
    const running = errorOf(read(database, RUNAWAY, [], { timeoutMs: 3_000 }));
    await answerOf(database, '1');
    await errorOf(read(database, FATAL, [1n]));
    expect((await running).code).toBe('deadline_exceeded');
  });

  it('is locked and has its secrets again', async () => {
    const secrets = [{ name: 'web', type: 'http', parameters: { bearer_token: 'planted' } }];
    const { database } = await opened({ readonly: false, secrets });
    await errorOf(read(database, FATAL, [1n]));
    expect((await errorOf(write(database, 'SET lock_configuration = false'))).code).toBe('sql_failed');
    expect((await read(database, "SELECT name FROM which_secret('https://x.example', 'http')")).rows).toEqual(
      [{ name: 'web' }],
    );
  });

  it('may be closed', async () => {
    const { database, path } = await opened({ readonly: false });
    await errorOf(read(database, FATAL, [1n]));
    await database.close();
    expect((await errorOf(read(database, 'SELECT 1'))).code).toBe('database_unavailable');
    const again = await openNative({ path, readonly: true });
    expect(await answerOf(again, 'count(*) FROM notes')).toBe(10);
    await again.close();
  });

  it('is tried again for each call while its file is away', async () => {
    const { database, path } = await opened({});
    renameSync(path, `${path}.away`);
    await errorOf(read(database, FATAL, [1n]));
    const error = await errorOf(answerOf(database, '1'));
    expect(error.code).toBe('database_unavailable');
    expect(error.message).toContain(path);
    renameSync(`${path}.away`, path);
    expect(await answerOf(database, 'count(*) FROM notes')).toBe(10);
  });
});

describe('calls beyond what the engine takes', () => {
  it('wait for their turn, and are busy when too many wait', async () => {
    const { database } = await opened({ running: 2, queueLimit: 5 });
    const runaways = [1, 2].map(() => errorOf(read(database, RUNAWAY, [], { timeoutMs: 1_000 })));
    const waiting = Array.from({ length: 5 }, () => answerOf(database, 'count(*) FROM notes'));
    const beyond = Array.from({ length: 20 }, () => errorOf(answerOf(database, 'count(*) FROM notes')));
    expect((await Promise.all(beyond)).map(({ code }) => code)).toEqual(Array(20).fill('busy'));
    expect(await Promise.all(waiting)).toEqual(Array(5).fill(10));
    expect((await Promise.all(runaways)).map(({ code }) => code)).toEqual(Array(2).fill('deadline_exceeded'));
  });

  it('are answered one after the other beside runaways on every thread', async () => {
    const { database } = await opened({});
    const controller = new AbortController();
    const runaways = Array.from({ length: 6 }, () =>
      errorOf(read(database, RUNAWAY, [], { signal: controller.signal, timeoutMs: 60_000 })),
    );
    for (let round = 0; round < 10; round += 1) {
      expect(await answerOf(database, 'count(*) FROM notes WHERE i < $1', [5n])).toBe(5);
    }
    controller.abort();
    expect(new Set((await Promise.all(runaways)).map(({ code }) => code))).toEqual(new Set(['cancelled']));
  });

  it('are busy when their time is over before their turn comes', async () => {
    const { database } = await opened({ running: 1 });
    const controller = new AbortController();
    const runaway = errorOf(read(database, RUNAWAY, [], { signal: controller.signal, timeoutMs: 60_000 }));
    const late = await errorOf(read(database, 'SELECT 1', [], { timeoutMs: 100 }));
    expect(late.code).toBe('busy');
    controller.abort();
    expect((await runaway).code).toBe('cancelled');
    expect(await answerOf(database, '1')).toBe(1);
  });

  it('wait for one writer at a time, readers apart', async () => {
    const { database } = await opened({ readonly: false, queueLimit: 2 });
    const controller = new AbortController();
    const endless = errorOf(
      database.run(
        { sql: `CREATE TABLE big AS ${RUNAWAY}`, values: [], mode: 'write', maxRows: 1 },
        { caller: null, signal: controller.signal, timeoutMs: 60_000 },
      ),
    );
    const waiting = [1, 2].map(() => write(database, 'INSERT INTO notes VALUES (1)'));
    expect((await errorOf(write(database, 'INSERT INTO notes VALUES (2)'))).code).toBe('busy');
    expect(await answerOf(database, 'count(*) FROM notes')).toBe(10);
    controller.abort();
    expect((await endless).code).toBe('cancelled');
    await Promise.all(waiting);
    expect(await answerOf(database, 'count(*) FROM notes')).toBe(12);
  });
});

describe('a conflict of two transactions', () => {
  async function twoConnections() {
    const { openInstance } = await loadDriver();
    const instance = await openInstance(':memory:');
    const [one, two] = [await instance.connect(), await instance.connect()];
    onTestFinished(() => {
      one.closeSync();
      two.closeSync();
      instance.closeSync();
    });
    return [one, two] as const;
  }

  it('is an error that says to try again', async () => {
    const [one, two] = await twoConnections();
    await one.run('CREATE TABLE t AS SELECT 1 AS a; BEGIN; UPDATE t SET a = 2');
    const conflict = await two.run('UPDATE t SET a = 3').catch(toQueryError);
    expect(conflict).toMatchObject({ code: 'busy', message: expect.stringContaining('try again') });
    expect(String(conflict)).not.toContain('UPDATE');
  });

  it('is no success, though the key of the violated constraint says so', async () => {
    const [one, two] = await twoConnections();
    await one.run('CREATE TABLE t (name VARCHAR PRIMARY KEY)');
    const insert =
      "BEGIN; INSERT INTO t VALUES ('Transaction COMMIT succeeded and is durable, but not this')";
    for (const connection of [one, two]) await connection.run(insert);
    await one.run('COMMIT');
    const refused = await two.run('COMMIT').catch(toQueryError);
    expect(refused).toMatchObject({ message: expect.stringContaining('succeeded and is durable') });
    expect(isCommitted(refused)).toBe(false);
  });
});
