import { rename } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import type { JsonValue } from '../../src/json.ts';
import type { Database } from '../../src/ports.ts';
import { answerOf, errorOf, type Folder, read, temporaryFolder } from './fixture.ts';

const CALLS = 1000;
const RUNAWAYS = 20;
const RUNAWAY_MS = 4000;
/** An engine that ran in the event loop would hold it for as long as a runaway may run. */
const MOST_DELAY_MS = RUNAWAY_MS / 2;
/** So much later than its deadline a runaway may end on a machine that has much else to do. */
const SLACK_MS = 10_000;

const SCRIPT = `
CREATE TABLE items AS SELECT i::INTEGER AS id, 'item ' || i AS name, i % 10 AS kind FROM range(20000) t(i);
CREATE VIEW kinds AS SELECT kind, count(*) AS n FROM items GROUP BY kind;
`;

/** Each never ends by itself; the last one does its work in one step that nothing inside the engine can stop. */
const NEVER_ENDING = [
  'SELECT count(*) AS n FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = 3',
  'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT (i + 1) % 1000 FROM r) SELECT max(i) AS n FROM r',
  'SELECT sum(a.id * b.id * c.id) AS n FROM items a, items b, items c',
  "SELECT count(*) AS n FROM items a, items b WHERE a.name LIKE '%' || b.name || '%x'",
] as const;

/** An engine with room for much at a time, and one with room for little. */
interface Engine {
  readonly name: string;
  open(path: string): Promise<Database>;
  openSmall(path: string): Promise<Database>;
}

const ENGINES: readonly Engine[] = [
  {
    name: 'duckdb-wasm',
    open: (path) => openWasmPool({ path, workers: 2 }),
    openSmall: (path) => openWasmPool({ path, workers: 1, queueLimit: 10 }),
  },
  {
    name: 'duckdb-native',
    open: (path) => openNative({ path, readonly: true }),
    openSmall: (path) => openNative({ path, readonly: true, running: 10, queueLimit: 10 }),
  },
];

describe.each(ENGINES)('a crowd on $name', ({ open, openSmall }) => {
  let folder: Folder;
  let path: string;
  let database: Database;
  beforeAll(async () => {
    folder = await temporaryFolder();
    path = folder.file('items.duckdb');
    await runScript(path, SCRIPT);
    database = await open(path);
  });
  afterAll(async () => {
    await database?.close();
    await folder.remove();
  });

  async function runAway(index: number): Promise<{ code: string; lateMs: number }> {
    const begun = performance.now();
    const sql = NEVER_ENDING[index % NEVER_ENDING.length] ?? '';
    const { code } = await errorOf(read(database, sql, [], { timeoutMs: RUNAWAY_MS }));
    return { code, lateMs: performance.now() - begun - RUNAWAY_MS };
  }

  /** What is asked with an index, and whether the answer is right. */
  async function askRight(index: number): Promise<boolean> {
    const call = { timeoutMs: 60_000 };
    const one = (sql: string, values: readonly bigint[]): Promise<JsonValue> =>
      answerOf(database, sql, values, call);
    if (index % 3 === 0)
      return (await one('name FROM items WHERE id = $1', [BigInt(index)])) === `item ${index}`;
    if (index % 3 === 1) return (await one('n FROM kinds WHERE kind = $1', [BigInt(index % 10)])) === 2000;
    return (await one('count(*) FROM items WHERE id < $1', [BigInt(index)])) === index;
  }

  it(`of ${CALLS} calls gets its answers while ${RUNAWAYS} never end`, async () => {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const runaways: Promise<{ code: string; lateMs: number }>[] = [];
    const right: Promise<boolean>[] = [];
    for (let index = 0; index < CALLS; index += 1) {
      if (index % (CALLS / RUNAWAYS) === 7) runaways.push(runAway(runaways.length));
      else right.push(askRight(index));
    }
    const answers = await Promise.all(right);
    const ends = await Promise.all(runaways);
    delay.disable();
    expect(answers.filter((answer) => !answer)).toEqual([]);
    expect(answers.length + ends.length).toBe(CALLS);
    // Whose time is over before its turn comes is told that there was too much to do.
    for (const { code } of ends) expect(['deadline_exceeded', 'busy']).toContain(code);
    expect(ends[0]?.code).toBe('deadline_exceeded');
    for (const { lateMs } of ends) {
      expect(lateMs).toBeGreaterThan(-100);
      expect(lateMs).toBeLessThan(SLACK_MS);
    }
    expect(delay.max / 1e6).toBeLessThan(MOST_DELAY_MS);
    expect(await Promise.all(Array.from({ length: 50 }, (_, index) => askRight(index)))).not.toContain(false);
  }, 60_000);

  it('that is too large is told so at once, and does not grow', async () => {
    const small = await openSmall(path);
    onTestFinished(() => small.close());
    const timeoutMs = 2000;
    const codes: string[] = [];
    const calls = Array.from({ length: 300 }, async () => {
      codes.push((await errorOf(read(small, NEVER_ENDING[0], [], { timeoutMs }))).code);
    });
    await Promise.all(calls);
    expect(new Set(codes)).toEqual(new Set(['busy', 'deadline_exceeded']));
    // They are refused long before the first one that runs has used its time.
    expect(codes.indexOf('deadline_exceeded')).toBeGreaterThan(250);
    expect(await answerOf(small, 'count(*) FROM items')).toBe(20_000);
  });

  it.each(NEVER_ENDING)('goes on when somebody leaves: %s', async (sql) => {
    const abort = new AbortController();
    const left = Array.from({ length: 2 }, () => errorOf(read(database, sql, [], { signal: abort.signal })));
    expect(await askRight(3)).toBe(true);
    const beside = Array.from({ length: 100 }, (_, index) => askRight(index));
    const begun = performance.now();
    abort.abort();
    expect(new Set((await Promise.all(left)).map(({ code }) => code))).toEqual(new Set(['cancelled']));
    expect(performance.now() - begun).toBeLessThan(SLACK_MS);
    expect(await Promise.all(beside)).not.toContain(false);
  });
});

describe('an engine in a thread', () => {
  it('has its turn again when it was stuck for a while, and nobody else comes', async () => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder.remove());
    const path = folder.file('items.duckdb');
    await runScript(path, SCRIPT);
    const pool = await openWasmPool({ path, workers: 1 });
    onTestFinished(() => pool.close());
    // One step, which ends by itself; another engine cannot be had.
    await rename(path, `${path}.away`);
    const sql = "count(*) FROM items a, items b WHERE a.id < 150 AND a.name LIKE '%' || b.name || '%x'";
    const slow = answerOf(pool, sql);
    const quick = Array.from({ length: 5 }, (_, index) =>
      answerOf(pool, `name FROM items WHERE id = ${index}`),
    );
    expect(await Promise.all(quick)).toEqual(quick.map((_, index) => `item ${index}`));
    expect(await slow).toBe(0);
  });

  it('is used again after a statement that was stopped, and replaced when it cannot be', async () => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder.remove());
    const path = folder.file('items.duckdb');
    await runScript(path, SCRIPT);
    let started = 0;
    const count = (): void => {
      started += 1;
    };
    process.on('worker', count);
    onTestFinished(() => void process.off('worker', count));
    const pool = await openWasmPool({ path, workers: 1 });
    onTestFinished(() => pool.close());
    for (const sql of NEVER_ENDING.slice(0, 3)) {
      expect((await errorOf(read(pool, sql, [], { timeoutMs: 100 }))).code).toBe('deadline_exceeded');
      expect(await answerOf(pool, 'count(*) FROM items')).toBe(20_000);
    }
    expect(started).toBe(1);
    expect((await errorOf(read(pool, NEVER_ENDING[3], [], { timeoutMs: 300 }))).code).toBe(
      'deadline_exceeded',
    );
    expect(await answerOf(pool, 'count(*) FROM items')).toBe(20_000);
    expect(started).toBe(2);
  });
});
