import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openNative } from '../../../../adapters/duckdb-native/open.ts';
import { runScript } from '../../../../adapters/duckdb-native/script.ts';

/** Each level doubles the time to plan it; nothing interrupts that. */
const DEEP = `SELECT ${'(SELECT '.repeat(17)}1${')'.repeat(17)} AS one`;
const CROWD = 12;

it('what callers write is planned two at a time, so that it takes no more threads than that', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-plans-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'data.duckdb');
  await runScript(path, 'SELECT 1');
  const database = await openNative({ path, readonly: true });
  onTestFinished(() => database.close());
  const begun = performance.now();
  const crowd = Array.from({ length: CROWD }, async () => {
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: 60_000 };
    const own = { sql: DEEP, values: [], mode: 'read', maxRows: 1, confined: true } as const;
    expect((await database.run(own, call)).rows).toEqual([{ one: 1 }]);
    return performance.now() - begun;
  });
  const [first = 0, ...others] = (await Promise.all(crowd)).toSorted((one, other) => one - other);
  // all at once they would share the processor, and end together
  expect(first).toBeLessThan((others.at(-1) ?? 0) / 2);
});
