import { expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { openWasmPool } from '../../../../../adapters/duckdb-wasm/pool/open.ts';
import { answerOf, errorOf, read, temporaryFolder } from '../../../../engine/fixture.ts';

const BLOCKS = 10;
const BLOCK_MS = 400;

it('starts no other engine because the event loop was busy', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const path = folder.file('items.duckdb');
  await runScript(path, "CREATE TABLE items AS SELECT i AS id, 'item ' || i AS name FROM range(20000) t(i)");
  const pool = await openWasmPool({ path, workers: 1 });
  onTestFinished(() => pool.close());
  let started = 0;
  const count = (): void => {
    started += 1;
  };
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  // Its steps are short, so the engine always has something to do and is never stuck.
  const abort = new AbortController();
  const long = 'SELECT count(*) AS n FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = 3';
  const running = errorOf(read(pool, long, [], { signal: abort.signal, timeoutMs: 60_000 }));
  for (let block = 0; block < BLOCKS; block += 1) {
    expect(await answerOf(pool, `name FROM items WHERE id = ${block}`)).toBe(`item ${block}`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCK_MS);
  }
  abort.abort();
  expect((await running).code).toBe('cancelled');
  expect(started).toBe(0);
});
