import { openProcess } from '../../adapters/duckdb-native/process/open.ts';
import { callOf } from './fixture.ts';

/* A server with an engine in a process of its own. It prints the id of that process, and is then killed by the test. */

/** The value makes it long to plan. Bound statements are planned again, on the main thread of the engine's process. */
const PLANNING = "SELECT levenshtein(repeat('a', $1), repeat('b', $1)) AS v";

const [, , state] = process.argv;
const database = await openProcess({ path: ':memory:', readonly: false });
setInterval(() => {}, 60_000);
if (state === 'planning') {
  const request = { sql: PLANNING, values: [3_000_000n], mode: 'read', maxRows: 1, confined: true } as const;
  void database.run(request, callOf({ timeoutMs: 600_000 }));
}
process.stdout.write(`${database.pid}\n`);
