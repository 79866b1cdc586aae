import { describe, expect, it } from 'vitest';
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
