import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { compileEngine } from '../../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { bytesFile, openWasm } from '../../../../../adapters/duckdb-wasm/in-process.ts';
import { buildWasm } from '../../../../../scripts/build-wasm.ts';
import { createDatabase, failureOf, read } from '../fixture.ts';

/** Needs more than half of the memory. */
const LARGE = 'SELECT count(*) AS n FROM (SELECT DISTINCT i FROM range(250000) t(i))';
const SMALL = 'SELECT count(*) AS n FROM users';
/** Takes several slices. */
const LONG = 'SELECT count(*) AS n FROM words a, words b WHERE a.id < 50 AND hash(a.id + b.id) % 7 = 3';
/** One is its own. */
const CONNECTIONS = 'SELECT count::INTEGER AS n FROM duckdb_connection_count()';

beforeAll(() => buildWasm());

/** Opens a database on a platform that drops requests: they stay in a pause. */
async function openDropping() {
  const bytes = new Uint8Array(readFileSync(await createDatabase()));
  const dropped: (() => void)[] = [];
  let dropping = false;
  const pause = () =>
    new Promise<void>((resolve) => void (dropping ? dropped.push(resolve) : setTimeout(resolve)));
  const database = await openWasm({
    ...(await compileEngine()),
    file: bytesFile(bytes),
    memoryMb: 32,
    pause,
  });
  onTestFinished(() => database.close());
  return {
    rows: async (sql: string) => (await read(database, sql)).rows,
    /** Begins calls whose requests are dropped. Returns how each ends if it goes on. */
    async drop(timeoutMs: number, ...statements: readonly string[]) {
      dropping = true;
      const calls = statements.map((sql) => failureOf(read(database, sql, { timeoutMs })));
      await vi.waitUntil(() => dropped.length > 0, 20_000);
      dropping = false;
      return calls;
    },
    goOn: () => {
      for (const resolve of dropped.splice(0)) resolve();
    },
  };
}

const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// Requirements: own.dropped
describe('a call whose request was dropped in the middle of its statement', () => {
  it('takes no memory and no place from others after its deadline', async () => {
    const { rows, drop } = await openDropping();
    expect(await rows(LARGE)).toEqual([{ n: 250_000 }]);
    await drop(500, LARGE, LARGE, LARGE, LARGE);
    expect(await rows(LARGE)).toEqual([{ n: 250_000 }]);
    const begun = performance.now();
    expect(await rows(SMALL)).toEqual([{ n: 1000 }]);
    expect(performance.now() - begun).toBeLessThan(8_000);
  });

  it.each([
    ['a connection of its own', 0],
    ['a lane', 2],
  ])('gives back %s, and does not go on', async (_, before) => {
    const { rows, drop, goOn } = await openDropping();
    for (let turn = 0; turn < before; turn += 1) await rows(LONG);
    const calls = await drop(100, LONG, LONG, LONG);
    await passed(100);
    expect(await rows(CONNECTIONS)).toEqual([{ n: 1 }]);
    goOn();
    for (const call of calls) expect(await call).toMatchObject({ code: 'deadline_exceeded' });
    expect(await rows(LONG)).toEqual(await rows(LONG));
    expect(await rows(SMALL)).toEqual([{ n: 1000 }]);
  });

  it('may go on until its deadline', async () => {
    const { rows, drop, goOn } = await openDropping();
    const [call] = await drop(60_000, LONG);
    await rows(SMALL);
    goOn();
    await expect(call).rejects.toThrow('it did not fail');
  });
});
