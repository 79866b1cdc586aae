import { beforeAll, describe, expect, it } from 'vitest';
import { compileEngine } from '../../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { Engine } from '../../../../../adapters/duckdb-wasm/engine/engine.ts';
import { pathFile } from '../../../../../adapters/duckdb-wasm/engine/path-file.ts';
import { buildWasm } from '../../../../../scripts/build-wasm.ts';
import { cpuMs } from '../../../cpu.ts';
import { callerNamed, createDatabase, failureOf, openHere, read } from '../fixture.ts';
import { TRAP } from '../trap.ts';

beforeAll(() => buildWasm());

const RUNAWAY = 'SELECT sum(a.id * b.id) AS s FROM words a, words b';

async function openEngine(): Promise<Engine> {
  const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const file = pathFile(await createDatabase());
  return Engine.open({ ...(await compileEngine()), file, memoryMb: 64, pause });
}

describe('a statement', () => {
  it('ends at its deadline, while others get their answers', async () => {
    const database = await openHere(await createDatabase());
    const begun = performance.now();
    const runaway = failureOf(read(database, RUNAWAY, { timeoutMs: 500 }));
    const others = Array.from({ length: 20 }, (_, id) =>
      read(database, 'SELECT email FROM users WHERE id = $1', { values: [BigInt(id)] }),
    );
    const answers = await Promise.all(others);
    expect(answers.map(({ rows }) => rows[0]?.email)).toEqual(others.map((_, id) => `u${id}@example.com`));
    const failure = await runaway;
    expect(failure).toEqual({ code: 'deadline_exceeded', message: 'The query took longer than 500 ms.' });
    expect(performance.now() - begun).toBeGreaterThan(490);
  });

  it.each([
    RUNAWAY,
    'SELECT count(*) FROM words a JOIN words b ON a.amount < b.amount',
    'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r',
  ])('ends when its caller is gone: %s', async (sql) => {
    const database = await openHere(await createDatabase());
    const abort = new AbortController();
    const running = failureOf(read(database, sql, { signal: abort.signal }));
    await read(database, 'SELECT 1');
    abort.abort();
    expect(await running).toMatchObject({ code: 'cancelled' });
    expect((await read(database, 'SELECT count(*) AS n FROM users')).rows).toEqual([{ n: 1000 }]);
  });

  it('that nobody waits for any more is not begun', async () => {
    const database = await openHere(await createDatabase());
    expect(await failureOf(read(database, RUNAWAY, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'cancelled',
    });
  });

  it.each([
    `SELECT ${Array(900).fill('1').join('+')} AS x`,
    `SELECT ${'['.repeat(400)}1${']'.repeat(400)} AS x`,
    `SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)} AS x`,
    `SELECT * FROM ${'(SELECT * FROM '.repeat(5000)}users${')'.repeat(5000)}`,
  ])('that is nested too deeply is refused before it costs anything: %.30s', async (sql) => {
    const database = await openHere(await createDatabase());
    const begun = cpuMs();
    expect(await failureOf(read(database, sql))).toMatchObject({ code: 'sql_failed' });
    expect(cpuMs() - begun).toBeLessThan(5000);
    expect((await read(database, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});

it.each([500, 1000])('%i statements joined by UNION ALL are planned in little time', async (count) => {
  const database = await openHere(await createDatabase());
  const begun = process.cpuUsage();
  const { rows } = await read(database, Array(count).fill('SELECT 1 AS n').join(' UNION ALL '), {
    maxRows: 5000,
  });
  expect(rows).toHaveLength(count);
  expect(process.cpuUsage(begun).user / 1000).toBeLessThan(3000);
});

describe('memory', () => {
  // Sizes of 4 GiB and more, which a build for 32 bits would cut: the engine would write past the end of what it got.
  it.each([
    'SELECT generate_series(1, 1000000000) AS s',
    'SELECT range(2000000000) AS s',
    'SELECT list_resize([1], 1000000000) AS s',
    'SELECT list(x) FROM (SELECT unnest(range(536870913)) AS x)',
    'SELECT list_transform(range(536870912), lambda x: x)',
  ])('is never written past its end: %s', async (sql) => {
    const database = await openHere(await createDatabase());
    const healthy = 'SELECT count(*) AS n, sum(length(email)) AS l FROM users';
    const before = await read(database, healthy);
    for (let round = 0; round < 3; round += 1) {
      expect(await failureOf(read(database, sql))).toMatchObject({ code: 'memory_exceeded' });
      expect(await read(database, healthy)).toEqual(before);
    }
  });

  it.each([24, 64])('ends at %i MB with a clear error, and the engine goes on', async (memoryMb) => {
    const database = await openHere(await createDatabase(), memoryMb);
    const hungry = [
      "SELECT length(repeat('x', 500000000)) AS n",
      'SELECT list_sum(range(30000000)) AS n',
      "SELECT string_agg(word, ',') AS n FROM words, range(100)",
      'SELECT count(*) AS n FROM (SELECT DISTINCT a.word || b.id FROM words a, users b)',
    ];
    for (const sql of hungry) {
      expect(await failureOf(read(database, sql))).toMatchObject({ code: 'memory_exceeded' });
      const { rows } = await read(database, 'SELECT count(*) AS n FROM words WHERE amount > 100');
      expect(rows).toEqual([{ n: 99_299 }]);
    }
  });

  it('that ends while rows are read out is an error too, never an answer without them', async () => {
    const database = await openHere(await createDatabase());
    const codes: string[] = [];
    for (let rows = 1200; rows <= 3600; rows += 300) {
      const sql = `SELECT repeat('x', 9999) AS text FROM range(${rows})`;
      const answer = await read(database, sql, { maxRows: 10_000 }).catch(({ code }) => String(code));
      codes.push(typeof answer === 'string' ? answer : answer.rows.length === rows ? 'whole' : 'lost');
    }
    expect(new Set(codes)).toEqual(new Set(['whole', 'memory_exceeded']));
  });

  it('is flat over 200 calls that carry much', async () => {
    const engine = await openEngine();
    const large = 'x'.repeat(100_000);
    const caller = { ...callerNamed('ada'), email: large };
    const call = { caller, signal: new AbortController().signal, timeoutMs: 20_000 };
    const sql = "SELECT $1 AS text, get_user_email() AS email, [$1] AS list, {'a': $2} AS struct";
    const values = [large, { list: [large, null] }];
    const memory: number[] = [];
    for (let index = 0; index < 100; index += 1) {
      await engine.run({ sql, values, mode: 'read', maxRows: 10 }, call);
      await failureOf(
        engine.run({ sql: `SELECT '${large}'::DATE`, values: [], mode: 'read', maxRows: 1 }, call),
      );
      memory.push(engine.memoryMb);
    }
    expect(memory[99]).toBe(memory[30]);
    engine.close();
  });

  it('is counted for what a caller sends, too', async () => {
    const database = await openHere(await createDatabase(), 32);
    const large = 'x'.repeat(40_000_000);
    const caller = { ...callerNamed('ada'), email: large };
    const failures = await Promise.all([
      failureOf(read(database, 'SELECT length($1) AS n', { values: [large] })),
      failureOf(read(database, 'SELECT length(get_user_email()) AS n', { caller })),
      failureOf(read(database, `SELECT length('${large}') AS n`)),
    ]);
    expect(failures.map(({ code }) => code)).toEqual(Array(3).fill('memory_exceeded'));
    expect((await read(database, 'SELECT count(*) AS n FROM users')).rows).toEqual([{ n: 1000 }]);
  });

  it('is given back when a statement is stopped', async () => {
    const database = await openHere(await createDatabase(), 128);
    const used = async (): Promise<unknown> => {
      const { rows } = await read(
        database,
        "FROM duckdb_memory() WHERE tag IN ('HASH_TABLE', 'COLUMN_DATA', 'ORDER_BY')",
      );
      return rows;
    };
    const before = await used();
    const hungry = 'SELECT count(DISTINCT a.word || b.word) AS n FROM words a, words b';
    for (let index = 0; index < 5; index += 1) await failureOf(read(database, hungry, { timeoutMs: 50 }));
    expect(await used()).toEqual(before);
  });
});

describe('an engine that traps', () => {
  it('is replaced, and the calls beside it are made again', async () => {
    const database = await openHere(await createDatabase(), 128);
    const abort = new AbortController();
    const long = failureOf(read(database, RUNAWAY, { signal: abort.signal }));
    const beside = read(database, 'SELECT count(*) AS n FROM words a JOIN words b USING (word)');
    const trap = await failureOf(read(database, TRAP));
    expect(trap).toMatchObject({ code: 'database_unavailable' });
    expect((await beside).rows).toEqual([{ n: 100_000 }]);
    const { rows } = await read(database, 'SELECT get_username() AS name', { caller: callerNamed('ada') });
    expect(rows).toEqual([{ name: 'ada' }]);
    abort.abort();
    expect(await long).toMatchObject({ code: 'cancelled' });
  });
});
