import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { buildWasm } from '../../../scripts/build-wasm.ts';
import { callOf, type Folder, temporaryFolder } from '../fixture.ts';
import { askAll } from './ask.ts';
import { callsOf, OVERLOADS, type Overload } from './calls.ts';
import { type Comparison, compareAll } from './compare.ts';
import { STATEMENTS, TABLES } from './statements.ts';

/*
 * The gate of answers: both engines answer the same statements, and every difference is on a list with its reason. It
 * asks a twelfth of the calls of each overload. `SVC_TEST_ANSWERS=all` asks all of them, which takes some minutes and which
 * `npm run bump` does before a move to another version of DuckDB.
 */

const ALL = process.env.SVC_TEST_ANSWERS === 'all';
const EVERY = ALL ? 1 : 12;

const TIMEOUT_MS = 1_800_000;
const REPORT = 'build/answers';

let folder: Folder;
let path: string;
beforeAll(async () => {
  await buildWasm();
  folder = await temporaryFolder();
  path = folder.file('data.duckdb');
  await runScript(path, TABLES);
});
afterAll(() => folder.remove());

async function overloads(): Promise<readonly Overload[]> {
  const database = await openNative({ path, readonly: true });
  const { rows } = await database.run(
    { sql: OVERLOADS, values: [], mode: 'read', maxRows: 10_000 },
    callOf(),
  );
  await database.close();
  return rows as unknown as readonly Overload[];
}

async function compared(name: string, statements: readonly string[]): Promise<Comparison> {
  const [wasm, native] = await Promise.all([
    askAll('wasm', path, statements),
    askAll('native', path, statements),
  ]);
  const comparison = compareAll(statements, wasm, native);
  mkdirSync(REPORT, { recursive: true });
  writeFileSync(
    `${REPORT}/${name}.txt`,
    `${JSON.stringify(comparison.counts)}\n\n${comparison.different.join('\n\n')}\n`,
  );
  const died = native.filter(({ kind }) => kind === 'died').length;
  console.log(`${name}: ${statements.length} statements, native died of ${died}`, comparison.counts);
  expect(wasm.filter(({ kind }) => kind === 'died')).toEqual([]);
  return comparison;
}

it('both engines answer the same, but for a list of known differences', { timeout: TIMEOUT_MS }, async () => {
  const calls = [...new Set((await overloads()).flatMap(callsOf))];
  expect(calls.length).toBeGreaterThan(20_000);
  const asked = calls.filter((_, index) => index % EVERY === 0);
  expect(STATEMENTS.length).toBeGreaterThan(500);
  const comparison = await compared('answers', [...STATEMENTS, ...asked]);
  expect(comparison.different).toEqual([]);
  // A known difference may be in the calls that are not asked.
  if (ALL) expect(comparison.unneeded).toEqual([]);
});
