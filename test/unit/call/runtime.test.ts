import { expect, test } from 'vitest';
import { createRuntime } from '../../../src/call/runtime.ts';
import type { Database } from '../../../src/ports.ts';

const catalog = { project: 'p', hash: 'h', tools: {}, resources: {}, prompts: {} };
const database: Database = {
  engine: 'duckdb-wasm',
  readonly: true,
  run: async () => ({ columns: [], rows: [], truncated: false }),
  prepare: async () => [],
  close: async () => {},
};

test('the database is opened by the first who asks, once for all', async () => {
  let opened = 0;
  const open = async () => {
    opened += 1;
    return database;
  };
  const runtime = createRuntime({ catalog, open, log: () => {} });
  expect(opened).toBe(0);
  expect(await Promise.all([runtime.database(), runtime.database()])).toEqual([database, database]);
  expect(opened).toBe(1);
});

test('a failure is told to all who waited, and the next call tries again', async () => {
  let attempts = 0;
  const open = async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('not yet');
    return database;
  };
  const runtime = createRuntime({ catalog, open, log: () => {} });
  const first = await Promise.allSettled([runtime.database(), runtime.database()]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await runtime.database()).toBe(database);
  expect(attempts).toBe(2);
});
