import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/ports.ts';
import { FAULTS, QUICK_SEEDS } from './faults.ts';
import { GUARDS } from './guards.ts';
import { searchLeak } from './search.ts';
import { openDatabase } from './world.ts';

/*
 * Noninterference: two worlds differ only in what a caller may not see, such as hidden rows and columns, masked fields,
 * results that a policy denies, endpoints that the caller may not list, and calls of others. The caller makes the same
 * requests in both, and every answer must have the same bytes.
 *
 * `SVC_TEST_NONINTERFERENCE_CASES=1000000` makes the long run, and `SVC_TEST_NONINTERFERENCE_SEED` repeats one.
 */

const CASES = Number(process.env.SVC_TEST_NONINTERFERENCE_CASES ?? 20_000);
const SEED = Number(process.env.SVC_TEST_NONINTERFERENCE_SEED ?? Date.now() % 2 ** 31);
/** The cases within which the search must find a planted leak. Most are found within a hundred. */
const ENOUGH = 5_000;
/** A fault of the product may show itself in one kind of answer only, so it has as many cases as the run of CI. */
const ENOUGH_FOR_FAULTS = 20_000;
const PLANTED = fileURLToPath(new URL('planted.ts', import.meta.url));
const LONGEST_MS = 12 * 3_600_000;

const run = promisify(execFile);

let databases: readonly [Database, Database];
beforeAll(async () => {
  databases = [await openDatabase(), await openDatabase()];
});
afterAll(() => Promise.all(databases.map((database) => database.close())));

describe('noninterference', () => {
  // Requirements: noninterference
  it(
    `shows nothing hidden in ${CASES} requests, seed ${SEED}`,
    async () => {
      const { figures, leak } = await searchLeak({ databases, cases: CASES, seed: SEED });
      console.log(`noninterference: ${JSON.stringify(figures)}`);
      expect(leak, `seed ${SEED}`).toBeNull();
      // Most worlds differ, and enough requests get an answer that could show it.
      expect(figures.differing / figures.cases).toBeGreaterThan(0.8);
      expect(figures.answered / figures.cases).toBeGreaterThan(0.2);
    },
    LONGEST_MS,
  );

  it.each(Object.entries(GUARDS))(
    'would find a project without %s',
    async (guard, weaken) => {
      const seed = QUICK_SEEDS[guard] ?? 1;
      const found = await searchLeak({ databases, cases: ENOUGH, seed, weaken, shrinks: false });
      expect(found.leak).toContain('A caller learns what is hidden from them.');
    },
    LONGEST_MS,
  );

  it.each(Object.keys(FAULTS))(
    'would find that %s',
    async (fault) => {
      const args = [PLANTED, fault, String(ENOUGH_FOR_FAULTS), String(QUICK_SEEDS[fault] ?? 1)];
      const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 26 });
      const { leak, missing } = JSON.parse(stdout);
      expect(missing).toEqual([]);
      expect(leak).toContain('A caller learns what is hidden from them.');
    },
    LONGEST_MS,
  );
});
