import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { openProcess } from '../../adapters/duckdb-native/process/open.ts';
import type { SvcError } from '../../src/errors.ts';
import type { JsonValue } from '../../src/json.ts';
import type { Database } from '../../src/ports.ts';
import { answerOf, type Folder, read, temporaryFolder, write } from './fixture.ts';

/*
 * Writes to a database that often lacks memory, and the same ones to a database that has enough. Both must hold the same rows
 * at all times. `SVC_TEST_MEMORY_HISTORIES=200` makes it longer.
 */

const HISTORIES = Number(process.env.SVC_TEST_MEMORY_HISTORIES ?? 6);
const SEED = Number(process.env.SVC_TEST_HISTORY_SEED ?? 20_261_126);
const SLOW = 3_600_000;

const SHORT_MB = 64;
const AMPLE_MB = 1_024;
const KEYS = 60_000;

const TABLES = ['keyed', 'plain'] as const;
const CREATE = [
  'CREATE TABLE keyed (id BIGINT PRIMARY KEY, text VARCHAR, n BIGINT)',
  'CREATE INDEX by_number ON keyed (n)',
  'CREATE TABLE plain (id BIGINT, text VARCHAR, n BIGINT)',
  "INSERT INTO keyed VALUES (-1, 'first', -1)",
  "INSERT INTO plain VALUES (-1, 'first', -1)",
];

/** A range of keys, the length of their texts, and a number that makes the texts differ from those before. */
interface Rows {
  readonly table: (typeof TABLES)[number];
  readonly from: number;
  readonly count: number;
  readonly length: number;
  readonly tag: number;
}

const rows: fc.Arbitrary<Rows> = fc.record({
  table: fc.constantFrom(...TABLES),
  from: fc.nat({ max: KEYS }),
  count: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 40_000 })),
  length: fc.constantFrom(1, 8, 32, 64),
  tag: fc.nat({ max: 1_000 }),
});

const textOf = ({ length, tag }: Rows, key: string): string =>
  `repeat(md5(${key}::VARCHAR || ':${tag}'), ${length})`;

const selectOf = (given: Rows): string =>
  `SELECT i, ${textOf(given, 'i')}, i * ${given.tag} FROM range(${given.from}, ${given.from + given.count}) r(i)`;

const within = ({ from, count }: Rows): string => `id BETWEEN ${from} AND ${from + count - 1}`;

const STATEMENTS: readonly ((given: Rows) => string)[] = [
  (given) => `INSERT INTO ${given.table} ${selectOf(given)}`,
  (given) => `INSERT INTO ${given.table} ${selectOf(given)}`,
  (given) => `INSERT INTO keyed ${selectOf(given)} ON CONFLICT DO NOTHING`,
  (given) => `INSERT INTO keyed ${selectOf(given)} ON CONFLICT DO UPDATE SET text = excluded.text`,
  (given) => `UPDATE ${given.table} SET text = ${textOf(given, 'id')} WHERE ${within(given)}`,
  (given) => `UPDATE ${given.table} SET n = n + ${given.tag} WHERE ${within(given)}`,
  (given) => `UPDATE ${given.table} SET id = -id - ${KEYS * 2} WHERE ${within(given)}`,
  (given) => `DELETE FROM ${given.table} WHERE ${within(given)}`,
  (given) => `DELETE FROM ${given.table} WHERE id < -1`,
];

const statement = fc.tuple(fc.constantFrom(...STATEMENTS), rows).map(([sqlOf, given]) => sqlOf(given));

/** Statements, and how many others take memory beside them. */
interface History {
  readonly hungry: number;
  readonly statements: readonly string[];
}

const history: fc.Arbitrary<History> = fc.record({
  hungry: fc.constantFrom(0, 0, 2),
  statements: fc.array(statement, { minLength: 20, maxLength: 40, size: 'max' }),
});

/** Takes memory again and again, a varying amount, until it is stopped. */
async function takeMemory(database: Database, stopped: AbortSignal): Promise<void> {
  for (let round = 1; !stopped.aborted; round += 1) {
    const rows = 1_000_000 + ((round * 7_919_000) % 40_000_000);
    const sql = `SELECT max(len(l)) FROM (SELECT list(i ORDER BY i DESC) AS l FROM range(${rows}) t(i))`;
    await read(database, sql, [], { timeoutMs: 2_000 }).catch(() => {});
  }
}

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

const counts = { saved: 0, refused: 0, full: 0, unknown: 0 };

/** DuckDB 1.5 ends its process if it finds no memory for the keys of deleted rows, while it takes a commit back. */
function openShort(path: string): Promise<Database> {
  return openProcess({ path, readonly: false, memoryMb: SHORT_MB });
}

/** Both databases, and what became of each statement. */
class Pair {
  readonly path: string;
  readonly ample: Database;
  short: Database;

  private constructor(path: string, short: Database, ample: Database) {
    this.path = path;
    this.short = short;
    this.ample = ample;
  }

  static async open(): Promise<Pair> {
    const path = folder.file(`${crypto.randomUUID()}.duckdb`);
    const short = await openShort(path);
    const ample = await openNative({ path: ':memory:', readonly: false, memoryMb: AMPLE_MB });
    for (const sql of CREATE) {
      await write(short, sql);
      await write(ample, sql);
    }
    return new Pair(path, short, ample);
  }

  /** Runs a statement in the short one, and in the ample one if it was saved there. */
  async run(sql: string): Promise<void> {
    const outcome = await outcomeOf(this.short, sql);
    if (outcome === 'memory_exceeded') counts.full += 1;
    else if (outcome === 'outcome_unknown') await this.#findOut(sql);
    else {
      counts[outcome === 'saved' ? 'saved' : 'refused'] += 1;
      expect(await outcomeOf(this.ample, sql), sql).toBe(outcome);
    }
  }

  async #findOut(sql: string): Promise<void> {
    counts.unknown += 1;
    const [before, now] = [await digestOf(this.ample), await digestOf(this.short)];
    if (before !== now) await write(this.ample, sql);
  }

  async compare(after: string): Promise<void> {
    expect(await digestOf(this.short), after).toBe(await digestOf(this.ample));
  }

  async reopen(): Promise<void> {
    await this.short.close();
    this.short = await openShort(this.path);
  }

  async close(): Promise<void> {
    await this.short.close();
    await this.ample.close();
  }
}

/** `saved` and the number of rows, or the code of the error, with DuckDB's class of errors. */
async function outcomeOf(database: Database, sql: string): Promise<string> {
  return write(database, sql, [], { timeoutMs: 60_000 }).then(
    () => 'saved',
    ({ code, message }: SvcError) => (code === 'sql_failed' ? message.split(':')[0] : code) ?? code,
  );
}

/** The number of rows of each table, and the sum of their hashes; the values are read without an index. */
async function digestOf(database: Database): Promise<string> {
  const digests: JsonValue[] = [];
  for (const table of TABLES) {
    const sum = `count(*) || ' ' || coalesce(sum(hash(id, text, n)::HUGEINT), 0) FROM ${table}`;
    digests.push(await patiently(() => answerOf(database, sum)));
  }
  return digests.join(', ');
}

/** Tries until there is memory for it. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      if ((thrown as SvcError).code !== 'memory_exceeded') throw thrown;
    }
  }
}

async function play({ hungry, statements }: History): Promise<void> {
  const pair = await Pair.open();
  const stop = new AbortController();
  const takers = Array.from({ length: hungry }, () => takeMemory(pair.short, stop.signal));
  try {
    for (const sql of statements) {
      await pair.run(sql);
      await pair.compare(sql);
    }
  } finally {
    stop.abort();
    await Promise.all(takers);
  }
  await pair.compare('at the end');
  await pair.reopen();
  await pair.compare('after it was opened again');
  await pair.close();
}

describe('a database that often lacks memory', () => {
  it(`holds what it acknowledged, and nothing else (${HISTORIES} histories, seed ${SEED})`, {
    timeout: SLOW,
  }, async () => {
    await fc.assert(fc.asyncProperty(history, play), {
      seed: SEED,
      numRuns: HISTORIES,
      interruptAfterTimeLimit: SLOW,
    });
    process.stderr.write(`seed ${SEED}: ${JSON.stringify(counts)}\n`);
    expect(Math.min(counts.saved, counts.refused, counts.full)).toBeGreaterThan(0);
  });
});
