import { describe, expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { ENGINES } from './engines.ts';
import { temporaryFolder } from './fixture.ts';
import { callMany } from './quarters.ts';

/** `npm run bench -- engine` does the same with 100,000. */
const CALLS = 8_000;
const ROUNDS = 3;
const MOST_GROWTH = 1.05;

const READERS = ENGINES.filter(({ name }) => !name.includes('read-write'));

describe.each(READERS)('the memory of $name', ({ open }) => {
  it(`is flat over ${CALLS} calls`, async () => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder.remove());
    const path = folder.file('data.duckdb');
    await runScript(path, "CREATE TABLE items AS SELECT i AS id, 'item ' || i AS name FROM range(1000) t(i)");
    const database = await open(path);
    onTestFinished(() => database.close());
    let growth = Number.POSITIVE_INFINITY;
    // What is lost is lost each time; what an allocator keeps for later settles.
    for (let round = 0; round < ROUNDS && growth >= MOST_GROWTH; round += 1) {
      const [, second, , last] = await callMany(database, CALLS);
      growth = last / second;
    }
    expect(growth).toBeLessThan(MOST_GROWTH);
  }, 600_000);
});
