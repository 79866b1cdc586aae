import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { type NativeOptions, openNative } from '../../../../../adapters/duckdb-native/open.ts';

/** Each level doubles the time to plan it; nothing interrupts that. */
const DEEP = `SELECT ${'(SELECT '.repeat(17)}1${')'.repeat(17)} AS one`;
const CROWD = 12;

async function open(options: Partial<NativeOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-plans-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'data.duckdb');
  await runScript(path, 'SELECT 1');
  const database = await openNative({ path, readonly: true, ...options });
  onTestFinished(() => database.close());
  return async (sql: string, confined: boolean) => {
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: 60_000 };
    return (await database.run({ sql, values: [], mode: 'read', maxRows: 1, confined }, call)).rows;
  };
}

it('what callers write is planned two at a time, so that it takes no more threads than that', async () => {
  const run = await open();
  const begun = performance.now();
  const crowd = Array.from({ length: CROWD }, async () => {
    expect(await run(DEEP, true)).toEqual([{ one: 1 }]);
    return performance.now() - begun;
  });
  const [first = 0, ...others] = (await Promise.all(crowd)).toSorted((one, other) => one - other);
  // all at once they would share the processor, and end together
  expect(first).toBeLessThan((others.at(-1) ?? 0) / 2);
});

it('what waits to be planned keeps nobody else waiting', async () => {
  const run = await open({ running: 4 });
  let planned = 0;
  const crowd = Array.from({ length: CROWD }, async () => {
    await run(DEEP, true);
    planned += 1;
  });
  expect(await run('SELECT 2 AS two', false)).toEqual([{ two: 2 }]);
  expect(planned).toBeLessThan(CROWD / 2);
  await Promise.all(crowd);
});
