import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import { type CompiledEngine, compileEngine } from '../../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { READING } from '../../../../../adapters/duckdb-wasm/engine/steps.ts';
import { openWasm, type WasmOptions } from '../../../../../adapters/duckdb-wasm/in-process.ts';
import type { BlockDigests } from '../../../../../adapters/duckdb-wasm/remote/blocks.ts';
import {
  RemoteFile,
  type RemoteFileOptions,
} from '../../../../../adapters/duckdb-wasm/remote/remote-file.ts';
import { toSvcError } from '../../../../../src/errors.ts';
import type { Database } from '../../../../../src/ports.ts';
import { callerNamed, createDatabase, failureOf, read } from '../fixture.ts';
import { digestsOf, FakeStore } from './source.ts';
import { KINDS, STATEMENTS } from './statements.ts';

const BLOCK = 262_144;

let compiled: CompiledEngine;
let bytes: Uint8Array<ArrayBuffer>;
let digests: BlockDigests;
let native: Database;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-wasm-'));
  const path = await createDatabase(KINDS, 'data.duckdb', folder);
  bytes = new Uint8Array(readFileSync(path));
  digests = digestsOf(bytes);
  compiled = await compileEngine();
  native = await openNative({ path, readonly: true });
}, 120_000);
afterAll(async () => {
  await native.close();
  rmSync(folder, { recursive: true });
});

interface Opened {
  readonly database: Database;
  readonly store: FakeStore;
  /** The files that were opened, one for each engine. */
  readonly files: readonly RemoteFile[];
}

async function open(
  chosen: Partial<WasmOptions> & Pick<RemoteFileOptions, 'cacheBytes' | 'patienceMs' | 'readAhead'> = {},
): Promise<Opened> {
  const { cacheBytes = 0, patienceMs = 5_000, readAhead = () => [], ...options } = chosen;
  const store = new FakeStore(bytes);
  const files: RemoteFile[] = [];
  const file = async (): Promise<RemoteFile> => {
    store.replaced = false;
    const opened = new RemoteFile({
      name: 'data.duckdb',
      source: store,
      digests,
      cacheBytes,
      patienceMs,
      readAhead,
    });
    files.push(opened);
    return opened;
  };
  const database = await openWasm({ ...compiled, file, ...options });
  onTestFinished(() => database.close());
  return { database, store, files };
}

async function answerOf(database: Database, sql: string): Promise<unknown> {
  try {
    return (await read(database, sql, { timeoutMs: 120_000 })).rows;
  } catch (thrown) {
    return toSvcError(thrown).code;
  }
}

describe('an engine that waits for its file', () => {
  it('answers statements of every kind as native does, and waits only in functions that may wait', async () => {
    const { waited, restore } = recordWaits();
    onTestFinished(restore);
    for (const sql of STATEMENTS) {
      // A new engine has read nothing: whatever reads, waits. A read in another function fails the statement.
      const { database, store } = await open();
      store.answer = async (found) => waited.note(found);
      expect(await answerOf(database, sql), sql).toEqual(await answerOf(native, sql));
      await database.close();
    }
    expect([...waited.names].sort()).toEqual(['duckdb_pending_execute_task', 'duckdb_prepare']);
  }, 600_000);

  it('answers callers at the same time, each with its own values', async () => {
    const { database } = await open();
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const id = index * 6001;
        const sql = 'SELECT get_username() AS me, id, customer FROM orders WHERE id = $1';
        return read(database, sql, {
          values: [BigInt(id)],
          caller: callerNamed(`u${index}`),
          timeoutMs: 60_000,
        });
      }),
    );
    answers.forEach(({ rows }, index) => {
      const id = index * 6001;
      expect(rows).toEqual([{ me: `u${index}`, id, customer: `customer ${(id * 31) % 5000}` }]);
    });
  }, 120_000);

  it('counts the ranges and bytes of each call', async () => {
    const { database, store } = await open({ cacheBytes: 64 * BLOCK });
    const before = store.requests.length;
    const cold = await read(database, 'SELECT * FROM orders WHERE id = 150000');
    expect(cold.fetched?.ranges).toBe(store.requests.length - before);
    expect(cold.fetched?.ranges).toBeGreaterThan(0);
    expect(cold.fetched?.bytes).toBeGreaterThan(0);
    const warm = await read(database, 'SELECT * FROM orders WHERE id = 150000');
    expect(warm.fetched).toEqual({ ranges: 0, bytes: 0 });
  });
});

// Requirements: large.crowd
describe('statements that need much memory', () => {
  const HUNGRY = [
    'SELECT count(*) AS n FROM (SELECT DISTINCT customer, shop, day FROM orders)',
    'SELECT id, customer FROM orders ORDER BY amount DESC, id LIMIT 900',
    'SELECT max(long) AS m, count(DISTINCT id) AS n FROM texts',
    'SELECT a.id, b.customer FROM orders a JOIN orders b ON b.id = a.maybe ORDER BY a.id LIMIT 7',
    'SELECT customer, round(sum(amount), 2) AS s, max(day) AS d FROM orders GROUP BY customer ORDER BY customer LIMIT 50',
  ];

  it('are all answered if each of them fits by itself', async () => {
    const { database } = await open({ memoryMb: 36 });
    const expected = new Map<string, unknown>();
    for (const sql of HUNGRY) {
      expected.set(sql, await answerOf(native, sql));
      expect(await answerOf(database, sql), sql).toEqual(expected.get(sql));
    }
    const crowd = Array.from({ length: 40 }, (_, index) => HUNGRY[index % HUNGRY.length] ?? '');
    const answers = await Promise.all(crowd.map((sql) => answerOf(database, sql)));
    expect(answers).toEqual(crowd.map((sql) => expected.get(sql)));
  }, 300_000);
});

// Requirements: large.ended
describe('a call that must not read on', () => {
  it('ends at its deadline while a read does not end, and the engine goes on', async () => {
    const { database, store, files } = await open({ patienceMs: 60_000 });
    store.answer = () => new Promise(() => {});
    const failure = await failureOf(read(database, 'SELECT sum(amount) FROM orders', { timeoutMs: 200 }));
    expect(failure).toEqual({ code: 'deadline_exceeded', message: 'The query took longer than 200 ms.' });
    store.answer = async (found) => found;
    expect(await answerOf(database, 'SELECT max(id) FROM t30')).toEqual([{ 'max(id)': 499 }]);
    expect(files).toHaveLength(1);
  });

  it('ends when its caller leaves, and the engine goes on', async () => {
    const { database, store, files } = await open({ patienceMs: 60_000 });
    const leaving = new AbortController();
    store.answer = () => {
      leaving.abort();
      return new Promise(() => {});
    };
    const failure = await failureOf(
      read(database, 'SELECT sum(amount) FROM orders', { signal: leaving.signal }),
    );
    expect(failure.code).toBe('cancelled');
    store.answer = async (found) => found;
    expect(await answerOf(database, 'SELECT max(id) FROM t31')).toEqual(
      await answerOf(native, 'SELECT max(id) FROM t31'),
    );
    expect(files).toHaveLength(1);
  });

  it('ends while it waits for its turn', async () => {
    const { database, store } = await open({ patienceMs: 60_000 });
    const held = Promise.withResolvers<void>();
    const reading = Promise.withResolvers<void>();
    store.answer = async (found) => {
      reading.resolve();
      await held.promise;
      return found;
    };
    const first = read(database, 'SELECT sum(amount) FROM orders');
    await reading.promise;
    const failure = await failureOf(read(database, 'SELECT max(id) FROM t32', { timeoutMs: 50 }));
    expect(failure.code).toBe('deadline_exceeded');
    held.resolve();
    expect((await first).rows).toHaveLength(1);
  });

  it('ends beyond the ranges or bytes that it may read', async () => {
    const { database } = await open({ maxRanges: 4 });
    const sum = 'SELECT sum(amount), sum(shop), count(maybe), max(customer) FROM orders';
    const failure = await failureOf(read(database, sum));
    expect(failure.code).toBe('scan_too_large');
    expect(failure.message).toContain(
      'more of the database than the 4 ranges that this platform allows a call',
    );
    expect((await read(database, 'SELECT max(id) FROM t33')).rows).toHaveLength(1);
    const { database: other } = await open();
    const limited = other.run(
      { sql: sum, values: [], mode: 'read', maxRows: 1, scan: { bytes: 300_000 } },
      { caller: null, signal: new AbortController().signal, timeoutMs: 60_000 },
    );
    expect((await failureOf(limited)).message).toContain('the 300000 bytes that `limits.scan_bytes` allows');
  });
});

// Requirements: large.budget
describe('blocks that are fetched ahead', () => {
  it('count for the call that asked for them, also if it never waits', async () => {
    let scans = false;
    const ahead = Array.from({ length: 8 }, (_, at) => at + 1);
    const readAhead = (block: number) => (scans ? ahead.map((step) => block + step) : []);
    const { database, store } = await open({ cacheBytes: 64 * BLOCK, readAhead });
    // Blocks that another call, or the opening of the file, fetched ahead do not count for the scan.
    const reading = Promise.withResolvers<void>();
    store.answer = async (found) => {
      reading.resolve();
      return found;
    };
    scans = true;
    const sql = 'SELECT sum(amount), max(customer), min(day), sum(shop) FROM orders';
    const scanning = failureOf(
      database.run(
        { sql, values: [], mode: 'read', maxRows: 1, scan: { bytes: 3 * BLOCK } },
        { caller: null, signal: new AbortController().signal, timeoutMs: 60_000 },
      ),
    );
    await reading.promise;
    const [scan, point] = await Promise.all([scanning, read(database, 'SELECT max(id) FROM t34')]);
    expect(scan.code).toBe('scan_too_large');
    expect(point.rows).toHaveLength(1);
  });
});

describe('a store that fails under an engine', () => {
  it('fails the call with the reason, and the engine goes on', async () => {
    const { database, store, files } = await open();
    store.answer = async () => Promise.reject(new Error('connection reset'));
    const failure = await failureOf(read(database, 'SELECT sum(amount) FROM orders'));
    expect(failure.code).toBe('database_unavailable');
    expect(failure.message).toContain('could not be read in 3 attempts: connection reset');
    store.answer = async (found) => found;
    const sql = 'SELECT round(sum(amount), 2) AS s FROM orders';
    expect(await answerOf(database, sql)).toEqual(await answerOf(native, sql));
    expect(files).toHaveLength(1);
  });

  it('that has another object means an error, and then a new engine', async () => {
    const { database, store, files } = await open();
    store.replaced = true;
    const failure = await failureOf(read(database, 'SELECT sum(amount) FROM orders'));
    expect(failure.message).toContain('was replaced while it was open');
    const sql = 'SELECT count(customer) FROM orders';
    expect(await answerOf(database, sql)).toEqual(await answerOf(native, sql));
    expect(files).toHaveLength(2);
  });

  it('gives right answers or errors at any time, never others', async () => {
    const { database, store } = await open({ cacheBytes: 2 * BLOCK });
    const rounds = Number(process.env.SVC_TEST_EDGE_CALLS ?? 200);
    const expected = new Map<string, unknown>();
    for (const sql of STATEMENTS) expected.set(sql, await answerOf(native, sql));
    let requests = 0;
    store.answer = async (found) => {
      requests += 1;
      if (requests % 7 === 0 || requests % 40 > 36) throw new Error('connection reset');
      if (requests % 13 === 0) return found.slice(0, 100);
      if (requests % 501 === 500) store.replaced = true;
      return found;
    };
    const wrong: string[] = [];
    let right = 0;
    const next = Array.from(
      { length: rounds },
      (_, index) => STATEMENTS[(index * 29) % STATEMENTS.length] ?? '',
    );
    const caller = async (): Promise<void> => {
      for (let sql = next.pop(); sql !== undefined; sql = next.pop()) {
        const answer = await answerOf(database, sql);
        if (JSON.stringify(answer) === JSON.stringify(expected.get(sql))) right += 1;
        else if (answer !== 'database_unavailable') wrong.push(`${sql}: ${JSON.stringify(answer)}`);
      }
    };
    await Promise.all(Array.from({ length: 4 }, caller));
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThan(rounds / 3);
    // Statements that failed hold nothing.
    store.answer = async (found) => found;
    const held =
      "SELECT tag FROM duckdb_memory() WHERE tag IN ('HASH_TABLE', 'ORDER_BY', 'WINDOW', 'COLUMN_DATA') AND memory_usage_bytes > 0";
    await expect.poll(() => answerOf(database, held)).toEqual([]);
  }, 3_600_000);
});

/** Notes the function of the engine in which each read waits. */
function recordWaits() {
  const names = new Set<string>();
  let current = '';
  let made = 0;
  const jspi: Record<string, unknown> = WebAssembly as unknown as Record<string, unknown>;
  const { promising } = jspi;
  jspi.promising = (exported: unknown) => {
    const name = READING[made % READING.length] ?? '';
    made += 1;
    const run: unknown = typeof promising === 'function' ? promising(exported) : null;
    return (...args: number[]) => {
      current = name;
      return typeof run === 'function' ? run(...args) : null;
    };
  };
  const waited = {
    names,
    note<T>(found: T): T {
      names.add(current);
      return found;
    },
  };
  return { waited, restore: () => void Object.assign(jspi, { promising }) };
}
