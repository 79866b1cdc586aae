import { openNative } from '../../../../../adapters/duckdb-native/open.ts';

/* A program that runs the statement named in argv, and ends with 7 while DuckDB is at it. */

const [, , path = '', sql = ''] = process.argv;
const database = await openNative({ path, readonly: true });
const { signal } = new AbortController();
const call = { caller: null, signal, timeoutMs: 600_000 };
// of two that take long one goes on in a thread of the process
for (const _ of [1, 2]) database.run({ sql, values: [], mode: 'read', maxRows: 1 }, call).catch(() => {});
setTimeout(() => process.exit(7), 2_500);
