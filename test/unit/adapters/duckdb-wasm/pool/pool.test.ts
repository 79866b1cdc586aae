import { once } from 'node:events';
import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openWasmPool, type WasmPoolOptions } from '../../../../../adapters/duckdb-wasm/pool/open.ts';
import { buildWasm } from '../../../../../scripts/build-wasm.ts';
import type { Database } from '../../../../../src/ports.ts';
import { repeat } from '../../../../repeat.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { createDatabase, failureOf, read } from '../fixture.ts';
import { TRAP } from '../trap.ts';
import { ENDS } from './ends.ts';

beforeAll(() => buildWasm());

/** One task of a join that nothing inside the engine can interrupt. */
const STUCK = "SELECT count(*) AS n FROM words a, words b WHERE a.word LIKE '%' || b.word || '%x'";
const RUNAWAY = 'SELECT sum(a.id * b.id) AS s FROM words a, words b';
/** An error of DuckDB 1.5 after which the engine is not used any more. */
const BREAKING = `SELECT a.x FROM (VALUES ('1'::JSON), ('2'::JSON)) a(x)
  ASOF LEFT JOIN (VALUES ('1'::JSON), (NULL::JSON)) b(x) ON a.x > b.x`;
const ENDING = new URL('ending-worker.ts', import.meta.url);
const TRAPPING = new URL('trapping-worker.ts', import.meta.url);

/** Several engines are started, one after the other. */
const SLOW = { timeout: 60_000 };

async function openPool(options: Partial<WasmPoolOptions> = {}): Promise<Database> {
  const pool = await openWasmPool({ path: await createDatabase(), workers: 2, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

const emailOf = async (pool: Database, id: number): Promise<unknown> =>
  (await read(pool, 'SELECT email FROM users WHERE id = $1', { values: [BigInt(id)] })).rows[0]?.email;

/** The answers that 100 calls should get, and do. */
async function expectAnswers(pool: Database): Promise<void> {
  const ids = Array.from({ length: 100 }, (_, id) => id);
  expect(await Promise.all(ids.map((id) => emailOf(pool, id)))).toEqual(
    ids.map((id) => `u${id}@example.com`),
  );
}

describe('a pool', () => {
  it('never holds up the event loop', async () => {
    const pool = await openPool();
    const runaways = [1, 2, 3].map(() => failureOf(read(pool, RUNAWAY, { timeoutMs: 2000 })));
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 5);
    await Promise.all(runaways);
    clearInterval(turning);
    expect(turns).toBeGreaterThan(15);
  });

  it('ends what is stuck at its deadline, replaces its engine, and answers all others meanwhile', async () => {
    const pool = await openPool();
    const stuck = [1, 2].map(() => failureOf(read(pool, STUCK, { timeoutMs: 1000 })));
    await expectAnswers(pool);
    expect((await Promise.all(stuck)).map(({ code }) => code)).toEqual([
      'deadline_exceeded',
      'deadline_exceeded',
    ]);
    await expectAnswers(pool);
  });

  it('ends what is stuck when its caller is gone, at once for the caller', async () => {
    const pool = await openPool({ workers: 1 });
    const abort = new AbortController();
    const running = failureOf(read(pool, STUCK, { signal: abort.signal }));
    await emailOf(pool, 1);
    abort.abort();
    expect(await running).toMatchObject({ code: 'cancelled' });
    await expectAnswers(pool);
  });

  it('replaces an engine that traps, and makes the calls beside it again', async () => {
    const pool = await openPool({ workers: 1, workerUrl: TRAPPING });
    const trap = failureOf(read(pool, TRAP));
    await Promise.all([expectAnswers(pool), expectAnswers(pool)]);
    expect(await trap).toMatchObject({ code: 'database_unavailable' });
    await expectAnswers(pool);
  });

  it.each([1, 2])(
    'answers every call beside statements that break %i engines again and again',
    SLOW,
    async (workers) => {
      const pool = await openPool({ workers });
      let answers = 0;
      const use = async (round: number): Promise<void> => {
        const id = round % 100;
        expect(await emailOf(pool, id)).toBe(`u${id}@example.com`);
        answers += 1;
      };
      const users = [repeat(use), repeat(use)];
      const breaking = async (): Promise<void> => {
        for (const _ of [1, 2]) {
          expect((await failureOf(read(pool, BREAKING))).message).toMatch(/^INTERNAL Error|failed on this/);
        }
      };
      await Promise.all([breaking(), breaking(), breaking()]);
      await Promise.all(users.map((user) => user.stop()));
      expect(answers).toBeGreaterThan(0);
    },
  );

  it('tells a call that ends its engine again, alone, and no call beside it', SLOW, async () => {
    const pool = await openPool({ workers: 1, workerUrl: ENDING });
    const answers = Promise.all([1, 2, 3].map((id) => emailOf(pool, id)));
    const ending = failureOf(read(pool, ENDS));
    expect(await ending).toEqual({
      code: 'sql_failed',
      message: 'The database engine failed on this statement.',
    });
    expect(await answers).toEqual([1, 2, 3].map((id) => `u${id}@example.com`));
  });

  it('holds up no call for long because a long one may have broken an engine', SLOW, async () => {
    const pool = await openPool({ workers: 1 });
    const long = failureOf(read(pool, RUNAWAY, { timeoutMs: 20_000 }));
    await emailOf(pool, 1);
    await failureOf(read(pool, BREAKING));
    const first = await Promise.race([long, emailOf(pool, 2)]);
    expect(first).toBe('u2@example.com');
  });

  it('answers 300 calls among which 20 never end', async () => {
    const pool = await openPool();
    const runaways = Array.from({ length: 20 }, () => failureOf(read(pool, RUNAWAY, { timeoutMs: 1000 })));
    const good = await Promise.all(Array.from({ length: 300 }, (_, id) => emailOf(pool, id)));
    expect(good).toEqual(good.map((_, id) => `u${id}@example.com`));
    expect(new Set((await Promise.all(runaways)).map(({ code }) => code))).toEqual(
      new Set(['deadline_exceeded']),
    );
  });

  it('answers busy when too many wait, and when waiting took all the time there was', async () => {
    const pool = await openPool({ workers: 1, queueLimit: 3 });
    const abort = new AbortController();
    const running = Array.from({ length: 32 }, () =>
      failureOf(read(pool, RUNAWAY, { signal: abort.signal })),
    );
    const waiting = Array.from({ length: 3 }, () => failureOf(read(pool, 'SELECT 1', { timeoutMs: 200 })));
    const refused = await failureOf(read(pool, 'SELECT 1'));
    expect(refused).toEqual({ code: 'busy', message: 'The database has too much to do; try again.' });
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual(['busy', 'busy', 'busy']);
    abort.abort();
    expect(new Set((await Promise.all(running)).map(({ code }) => code))).toEqual(new Set(['cancelled']));
    expect(await emailOf(pool, 5)).toBe('u5@example.com');
  });

  it('has room again after calls that were given up at once', async () => {
    const pool = await openPool({ workers: 1 });
    const given = Array.from({ length: 100 }, () => {
      const abort = new AbortController();
      const answer = failureOf(read(pool, 'SELECT 1', { signal: abort.signal }));
      abort.abort();
      return answer;
    });
    expect(new Set((await Promise.all(given)).map(({ code }) => code))).toEqual(new Set(['cancelled']));
    await expectAnswers(pool);
  });

  it('that cannot open the database starts nothing more', async () => {
    const path = join(temporaryFolder(), 'text.duckdb');
    writeFileSync(path, 'not a database '.repeat(2000));
    const started: unknown[] = [];
    const note = (worker: unknown): number => started.push(worker);
    process.on('worker', note);
    expect(await failureOf(openWasmPool({ path, workers: 2 }))).toMatchObject({
      code: 'database_unavailable',
    });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('worker', note);
    expect(started).toHaveLength(1);
  });

  it('prepares without running, and says what is wrong', async () => {
    const pool = await openPool({ workers: 1 });
    await pool.prepare(STUCK, 'read');
    expect(await failureOf(pool.prepare('SELECT nothing FROM users', 'read'))).toMatchObject({
      code: 'sql_failed',
    });
    expect(await failureOf(pool.prepare('DELETE FROM users', 'write'))).toMatchObject({
      code: 'database_readonly',
    });
  });

  it('lets go of everything when it closes', async () => {
    const pool = await openPool();
    const running = failureOf(read(pool, STUCK));
    await emailOf(pool, 1);
    await pool.close();
    expect(await running).toMatchObject({ code: 'database_unavailable' });
    expect(await failureOf(read(pool, 'SELECT 1'))).toMatchObject({ code: 'database_unavailable' });
  });

  it('answers from the file that it opened, when another one takes its place', SLOW, async () => {
    const folder = temporaryFolder();
    const path = await createDatabase("CREATE TABLE t AS SELECT 'old' AS v", 'data.duckdb', folder);
    const ready: Promise<unknown>[] = [];
    const note = (worker: Worker): number => ready.push(once(worker, 'message'));
    process.on('worker', note);
    onTestFinished(() => void process.off('worker', note));
    const pool = await openPool({ path, workers: 2 });
    renameSync(await createDatabase("CREATE TABLE t AS SELECT 'new' AS v", 'next.duckdb', folder), path);
    const askAll = () => Promise.all(Array.from({ length: 16 }, () => read(pool, 'SELECT v FROM t')));
    await askAll();
    await Promise.all(ready);
    expect(ready).toHaveLength(2);
    expect((await askAll()).map(({ rows }) => rows[0]?.v)).toEqual(Array(16).fill('old'));
  });

  it('goes on with its file when that is gone, and finds another once that is of no use', SLOW, async () => {
    const path = await createDatabase();
    const pool = await openPool({ path, workers: 1, workerUrl: TRAPPING });
    const descriptor = openSync(path, 'r+');
    renameSync(path, `${path}.away`);
    expect(await failureOf(read(pool, TRAP))).toMatchObject({ code: 'database_unavailable' });
    expect(await emailOf(pool, 1)).toBe('u1@example.com');
    const bytes = readFileSync(`${path}.away`);
    ftruncateSync(descriptor, 4096);
    closeSync(descriptor);
    await failureOf(read(pool, TRAP));
    expect((await failureOf(read(pool, 'SELECT 1'))).message).toMatch(/cannot be opened/);
    expect((await failureOf(read(pool, 'SELECT 1'))).message).toMatch(/There is no database file at/);
    writeFileSync(path, bytes);
    expect(await emailOf(pool, 1)).toBe('u1@example.com');
  });

  it('runs from a bundle of two files beside the artefacts', async () => {
    const folder = temporaryFolder();
    await build({
      entryPoints: ['open', 'engine-worker'].map((name) => `adapters/duckdb-wasm/pool/${name}.ts`),
      outdir: folder,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const name of ['duckdb.wasm', 'trampolines.wasm']) {
      writeFileSync(join(folder, name), readFileSync(join('dist/duckdb-wasm', name)));
    }
    const bundle = await import(pathToFileURL(join(folder, 'open.js')).href);
    const open: typeof openWasmPool = bundle.openWasmPool;
    const pool = await open({ path: await createDatabase(), workers: 1 });
    await expectAnswers(pool);
    await pool.close();
  });
});
