import { expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import { answerOf, errorOf, read, temporaryFolder } from './fixture.ts';

const SLOW = 'SELECT count(*) AS n FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = 3';
const SLOW_ONES = 4;
const FAST_ONES = 50;
/** A fast call needs one or two turns. A slow machine may need some more, because a turn also ends by the clock. */
const MOST_TURNS = 4;

it('a fast statement waits for a few turns of each slow one, however long those run', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const path = folder.file('items.duckdb');
  await runScript(path, "CREATE TABLE items AS SELECT i AS id, 'item ' || i AS name FROM range(20000) t(i)");
  let turns = 0;
  const pause = async (): Promise<void> => {
    turns += 1;
    await new Promise(setImmediate);
  };
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(path), pause });
  onTestFinished(() => database.close());
  const abort = new AbortController();
  const slow = Array.from({ length: SLOW_ONES }, () =>
    errorOf(read(database, SLOW, [], { signal: abort.signal, timeoutMs: 60_000 })),
  );
  const before = turns;
  for (let id = 0; id < FAST_ONES; id += 1) {
    expect(await answerOf(database, 'name FROM items WHERE id = $1', [BigInt(id)])).toBe(`item ${id}`);
  }
  expect((turns - before) / FAST_ONES).toBeLessThan(MOST_TURNS * SLOW_ONES);
  // They have run too: each fast statement leaves them their turns.
  while (turns < SLOW_ONES) await new Promise(setImmediate);
  abort.abort();
  for (const { code } of await Promise.all(slow)) expect(code).toBe('cancelled');
});
