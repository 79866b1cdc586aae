import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadDriver } from '../../../../adapters/duckdb-native/driver/driver.ts';
import { isCommitted, toQueryError } from '../../../../adapters/duckdb-native/errors.ts';

const SAVED = 'Transaction COMMIT succeeded and is durable, but the autocheckpoint failed.';

/* test/engine/full-disk.test.ts has one of DuckDB itself. */

describe('a commit that threw', () => {
  it.each([
    `FATAL Error: ${SAVED} Reopen the database instance to recover. Could not write file "x"`,
    `Out of Memory Error: ${SAVED} failed to allocate data of size 256.0 KiB (255.9 MiB/256.0 MiB used)`,
    `IO Error: ${SAVED}`,
  ])('has succeeded: %s', (text) => {
    expect(isCommitted(toQueryError(new Error(text)))).toBe(true);
  });

  it.each([
    'TransactionContext Error: Failed to commit: Could not write file "x.wal": File too large',
    `TransactionContext Error: Failed to commit: Failed to commit DuckLake transaction: FATAL Error: ${SAVED}`,
    'Out of Memory Error: failed to allocate data of size 256.0 KiB (255.9 MiB/256.0 MiB used)',
  ])('has not: %s', (text) => {
    expect(isCommitted(toQueryError(new Error(text)))).toBe(false);
  });
});

const QUERY = 'UPDATE "public"."t" SET "a" = 1 WHERE "s" = ';
const DEADLOCK = 'ERROR:  deadlock detected\nDETAIL:  Process 1 waits for ShareLock on transaction 761.\n';

describe("an error's code", () => {
  // DuckDB 1.5.5 and its extensions wrote all of these, but for the values.
  it.each([
    ['busy', 'TransactionContext Error: Conflict on tuple deletion!'],
    ['busy', 'TransactionContext Error: Catalog write-write conflict on create with "u"'],
    [
      'busy',
      'TransactionContext Error: Transaction conflict: attempting to insert into table "t" but it has been altered by a different transaction',
    ],
    [
      'busy',
      'TransactionContext Error: Failed to commit: Failed to commit DuckLake transaction.\nTransaction conflict - attempting to insert into table with index "1" - but another transaction has deleted inlined data from it',
    ],
    [
      'busy',
      'TransactionContext Error: Failed to commit: Failed to commit DuckLake transaction.\nFailed to flush changes into DuckLake: database is locked',
    ],
    [
      'busy',
      'TransactionContext Error: Failed to commit: Failed to execute query "COMMIT": database is locked',
    ],
    ['busy', 'Invalid Error: database is locked'],
    [
      'busy',
      `Invalid Error: Failed to prepare query "SELECT type FROM sqlite_master WHERE lower(name)=lower('t');": database is locked`,
    ],
    [
      'busy',
      `Invalid Error: Failed to execute query "${QUERY}'x'": ERROR:  could not serialize access due to concurrent update\n`,
    ],
    ['busy', `Invalid Error: Failed to execute query "${QUERY}'": ERROR:  deadlock detected'": ${DEADLOCK}`],
    [
      'memory_exceeded',
      'Out of Memory Error: could not allocate block of size 256.0 KiB (9.3 MiB/9.5 MiB used)',
    ],
    ['memory_exceeded', 'Out of Memory Error: Allocation failure'],
    [
      'memory_exceeded',
      'TransactionContext Error: Failed to commit: failed to allocate data of size 2.0 KiB (255.9 MiB/256.0 MiB used)',
    ],
    [
      'memory_exceeded',
      'TransactionContext Error: Failed to commit: could not allocate block of size 256.0 KiB (9.3 MiB/9.5 MiB used)',
    ],
    ['memory_exceeded', 'std::bad_alloc'],
    [
      'database_readonly',
      'Invalid Input Error: Cannot execute statement of type "INSERT" on database "ro" which is attached in read-only mode!',
    ],
    [
      'database_readonly',
      'TransactionContext Error: Cannot write to database "memory" - transaction is launched in read-only mode',
    ],
    [
      'database_unavailable',
      'TransactionContext Error: Failed to commit: Could not write file "x.wal": File too large',
    ],
  ])('is %s: %s', (code, text) => {
    expect(toQueryError(new Error(text)).code).toBe(code);
  });

  it.each([
    'TransactionContext Error: Failed to commit: PRIMARY KEY or UNIQUE constraint violation: duplicate key "a conflict"',
    'TransactionContext Error: Failed to commit: PRIMARY KEY or UNIQUE constraint violation: duplicate key "failed to allocate"',
    'Invalid Error: Failed to copy data: ERROR:  duplicate key value violates unique constraint "t_s_key"\nDETAIL:  Key (s)=(: ERROR:  deadlock detected) already exists.\n',
    `Invalid Error: Failed to execute query "${QUERY}'": ERROR:  deadlock detected'": ERROR:  division by zero\n`,
    `Invalid Error: Failed to execute query "${QUERY}': database is locked'": ERROR:  division by zero\n`,
    'Invalid Input Error: database is locked',
    'Invalid Input Error: attached in read-only mode',
  ])('does not follow from a value: %s', (text) => {
    expect(toQueryError(new Error(text)).code).toBe('sql_failed');
  });
});

describe("a value in DuckDB's own error", () => {
  let run: (sql: string, values: string[]) => Promise<unknown>;
  let close: () => void;
  beforeAll(async () => {
    const instance = await (await loadDriver()).openInstance(':memory:');
    const connection = await instance.connect();
    await connection.run('CREATE TABLE tickets (subject VARCHAR UNIQUE)');
    run = (sql, values) => connection.run(sql, values);
    close = () => {
      connection.closeSync();
      instance.closeSync();
    };
  });
  afterAll(() => close());

  it.each([
    'database is locked',
    'deadlock detected',
    'could not serialize access',
    'plan failed to allocate',
    'std::bad_alloc',
    'attached in read-only mode',
    'Could not write file',
  ])('is no reason: %s', async (text) => {
    const converted = await run('SELECT CAST($1 AS INTEGER)', [text]).catch(toQueryError);
    expect(converted).toMatchObject({ code: 'sql_failed', message: expect.stringContaining(text) });
    await run('INSERT INTO tickets VALUES ($1)', [text]);
    const repeated = await run('INSERT INTO tickets VALUES ($1)', [text]).catch(toQueryError);
    expect(repeated).toMatchObject({ code: 'sql_failed', message: expect.stringContaining(text) });
  });
});
