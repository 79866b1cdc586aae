import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import {
  openForCallers,
  openProcess,
  type ProcessDatabase,
} from '../../adapters/duckdb-native/process/open.ts';
import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import type { SvcError } from '../../src/errors.ts';
import type { Database, SqlCall, SqlResult } from '../../src/ports.ts';
import { isRunning } from '../is-running.ts';
import { repeat } from '../repeat.ts';
import { commandOf, familyOf } from '../soak/processes.ts';
import { answerOf, callOf, errorOf, type Folder, read, temporaryFolder, write } from './fixture.ts';

const MEMORY_MB = 256;

/** The ways in which a server opens a database whose callers write SQL. */
const ENGINES: readonly { readonly name: string; open(path: string): Promise<Database> }[] = [
  { name: 'duckdb-wasm', open: (path) => openWasmPool({ path, workers: 2, memoryMb: MEMORY_MB }) },
  {
    name: 'duckdb-native, read-only',
    open: (path) => openForCallers({ path, readonly: true, memoryMb: MEMORY_MB }),
  },
  {
    name: 'duckdb-native, read-write',
    open: (path) => openForCallers({ path, readonly: false, memoryMb: MEMORY_MB }),
  },
];

/** A segmentation fault in DuckDB 1.5. */
const CRASH = "SELECT reservoir_quantile(3::TINYINT, 'nan'::DOUBLE) AS v FROM range(3)";
/** An error after which DuckDB 1.5 is not used any more. */
const BREAKING = `SELECT a.x FROM (VALUES ('1'::JSON), ('2'::JSON)) a(x)
  ASOF LEFT JOIN (VALUES ('1'::JSON), (NULL::JSON)) b(x) ON a.x > b.x`;
const HUNGRY = [
  'SELECT len(flatten(list_transform(range(30000), lambda x: range(30000)))) AS v',
  "SELECT repeat('x', 4000000000) AS v",
] as const;
/** A constant that takes minutes to fold, and planning is not interrupted. */
const PLANNING = "SELECT levenshtein(repeat('a', 3000000), repeat('b', 3000000)) AS v";

/** A statement that its caller wrote. */
function ask(database: Database, sql: string, call: Partial<SqlCall> = {}): Promise<SqlResult> {
  return database.run({ sql, values: [], mode: 'read', maxRows: 10, confined: true }, callOf(call));
}

describe.each(ENGINES)('callers who write SQL on $name', ({ open }) => {
  let folder: Folder;
  let database: Database;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await runScript(
      folder.file('items.duckdb'),
      'CREATE TABLE items AS SELECT i AS id FROM range(1000) t(i)',
    );
    database = await open(folder.file('items.duckdb'));
  });
  afterAll(async () => {
    await database?.close();
    await folder.remove();
  });

  /** Another caller's calls and the project's own, one after the other until the end; the wrong answers. */
  function useBeside(): { stop: () => Promise<readonly unknown[]> } {
    const wrong: unknown[] = [];
    let right = 0;
    const use = (one: () => Promise<unknown>) =>
      repeat(async () => {
        const answer = await one().catch((thrown: unknown) => thrown);
        if (answer === 1000) right += 1;
        else wrong.push(answer);
      });
    const call = { timeoutMs: 60_000 };
    const caller = async () => (await ask(database, 'SELECT count(*) AS n FROM items', call)).rows[0]?.n;
    const users = [use(caller), use(() => answerOf(database, 'count(*) FROM items', [], call))];
    return {
      stop: async () => {
        await Promise.all(users.map((user) => user.stop()));
        expect(right).toBeGreaterThan(0);
        return wrong;
      },
    };
  }

  it('end no call of others with a statement that ends the engine', async () => {
    const others = useBeside();
    for (let round = 0; round < 3; round += 1) {
      const [first, second] = await Promise.all(
        [1, 2].map(() => ask(database, CRASH).catch((error) => error)),
      );
      // The wasm engine survives it.
      for (const answer of [first, second]) {
        if (database.engine === 'duckdb-native') expect(answer.code).toBe('sql_failed');
      }
    }
    expect(await others.stop()).toEqual([]);
  }, 120_000);

  it('end no call of others with a statement that breaks the engine', async () => {
    const others = useBeside();
    await Promise.all([1, 2, 3].map(() => errorOf(ask(database, BREAKING))));
    expect(await others.stop()).toEqual([]);
  }, 120_000);

  it.each(HUNGRY)(
    'end no call of others with much memory: %s',
    async (sql) => {
      const others = useBeside();
      const { code } = await errorOf(ask(database, sql, { timeoutMs: 60_000 }));
      expect(['memory_exceeded', 'sql_failed', 'database_unavailable']).toContain(code);
      expect(await others.stop()).toEqual([]);
    },
    120_000,
  );

  it('keep nobody waiting with plans that nothing interrupts', async () => {
    const others = useBeside();
    const timeoutMs = 2_000;
    const begun = performance.now();
    const codes = await Promise.all(
      [1, 2, 3].map(async () => (await errorOf(ask(database, PLANNING, { timeoutMs }))).code),
    );
    expect(codes).toEqual(codes.map(() => 'deadline_exceeded'));
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(await others.stop()).toEqual([]);
  }, 120_000);
});

/** A database file with a table of no rows, and the process that runs its statements. */
async function openTable() {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const path = folder.file('rows.duckdb');
  await runScript(path, 'CREATE TABLE rows (id INTEGER PRIMARY KEY)');
  const database = await openProcess({ path, readonly: false, memoryMb: MEMORY_MB });
  onTestFinished(() => database.close());
  return { path, database };
}

/** The processes of engines below a process, also those that have opened nothing yet. */
function enginesOf(pid: number): readonly number[] {
  return familyOf(pid).filter((one) => commandOf(one).includes('engine-process'));
}

function pidOf(database: ProcessDatabase): number {
  if (database.pid === null) throw new Error('there is no process');
  return database.pid;
}

describe('an engine in a process of its own', () => {
  it('has what was committed after a crash', async () => {
    const { database } = await openTable();
    for (let id = 0; id < 5; id += 1) {
      await write(database, `INSERT INTO rows VALUES (${id})`);
      expect((await errorOf(ask(database, CRASH))).code).toBe('sql_failed');
      expect(await answerOf(database, 'count(*) FROM rows')).toBe(id + 1);
    }
  }, 60_000);

  it('writes each row once, however often the process is killed under load', async () => {
    const { database } = await openTable();
    let next = 0;
    const written = new Set<number>();
    const unknown = new Set<number>();
    const writeOne = async (): Promise<void> => {
      const id = next;
      next += 1;
      const request = {
        sql: `INSERT INTO rows VALUES (${id})`,
        values: [],
        mode: 'write',
        maxRows: 1,
      } as const;
      const failed = await database.run(request, callOf({ timeoutMs: 60_000 })).then(
        () => null,
        (thrown) => thrown,
      );
      if (failed === null) written.add(id);
      else {
        expect(failed.message).toMatch(/may be there or not|failed on this statement/);
        unknown.add(id);
      }
    };
    const writers = Array.from({ length: 4 }, () => repeat(writeOne));
    for (let kills = 0; kills < 5; kills += 1) {
      const before = written.size;
      await expect.poll(() => written.size, { timeout: 30_000 }).toBeGreaterThan(before + 20);
      process.kill(pidOf(database), 'SIGKILL');
      await expect.poll(() => database.pid, { timeout: 30_000 }).toBeNull();
    }
    await Promise.all(writers.map((writer) => writer.stop()));
    const { rows } = await database.run(
      { sql: 'SELECT id FROM rows', values: [], mode: 'read', maxRows: 1_000_000 },
      callOf(),
    );
    const there = new Set(rows.map(({ id }) => Number(id)));
    expect([...written].filter((id) => !there.has(id))).toEqual([]);
    expect([...there].filter((id) => !written.has(id) && !unknown.has(id))).toEqual([]);
    // Only writes whose commit had begun can be unknown, and writes take turns.
    expect(unknown.size).toBeLessThanOrEqual(5);
  }, 120_000);

  it.runIf(process.platform === 'linux')(
    'is started again if the next process ends before the database is open',
    async () => {
      const { database } = await openTable();
      const first = pidOf(database);
      process.kill(first, 'SIGKILL');
      await expect.poll(() => database.pid, { interval: 1 }).not.toBe(first);
      const answer = answerOf(database, 'count(*) FROM rows');
      for (const pid of enginesOf(process.pid)) process.kill(pid, 'SIGKILL');
      expect(await answer).toBe(0);
    },
    60_000,
  );

  it('knows the outcome of every write, however often callers end the process', async () => {
    const { database } = await openTable();
    let written = 0;
    const failed: SvcError[] = [];
    const writer = (first: number) =>
      repeat((round) =>
        write(database, `INSERT INTO rows VALUES (${first + 2 * round})`, [], { timeoutMs: 60_000 }).then(
          () => (written += 1),
          (thrown: SvcError) => failed.push(thrown),
        ),
      );
    const writers = [writer(0), writer(1)];
    for (let crashes = 0; crashes < 25; crashes += 1) {
      expect((await errorOf(ask(database, CRASH))).code).toBe('sql_failed');
    }
    for (const sql of HUNGRY) {
      const { code } = await errorOf(ask(database, sql, { timeoutMs: 60_000 }));
      expect(['memory_exceeded', 'sql_failed']).toContain(code);
    }
    // The next process is there, so a slow machine does not refuse the statement before it has begun.
    await ask(database, 'SELECT 1', { timeoutMs: 60_000 });
    const planning = ask(database, PLANNING, { timeoutMs: 3_000 });
    expect((await errorOf(planning)).code).toBe('deadline_exceeded');
    const last = written;
    await expect.poll(() => written, { timeout: 30_000 }).toBeGreaterThan(last);
    await Promise.all(writers.map((one) => one.stop()));
    // A machine may need more than the trial's time for a crash; 27 statements ended the process.
    expect(failed.every(({ code }) => code === 'outcome_unknown')).toBe(true);
    expect(failed.length).toBeLessThanOrEqual(2);
    const there = Number(await answerOf(database, 'count(*) FROM rows'));
    expect(there - written).toBeGreaterThanOrEqual(0);
    expect(there - written).toBeLessThanOrEqual(failed.length);
  }, 180_000);

  it('runs the statements of others again, and names the one that ended it', async () => {
    const { database } = await openTable();
    const slow = 'SELECT count(*) AS n FROM range(30000000) t(i) WHERE hash(i) % 7 = 8';
    const reads = Array.from({ length: 4 }, () => read(database, slow, [], { timeoutMs: 60_000 }));
    const callers = Array.from({ length: 4 }, () => ask(database, slow, { timeoutMs: 60_000 }));
    const failed = await errorOf(ask(database, CRASH));
    expect(failed.message).toMatch(/^The database engine failed on this statement and ended by signal SIG/);
    for (const { rows } of await Promise.all([...reads, ...callers])) expect(rows).toEqual([{ n: 0 }]);
  }, 60_000);

  it('answers short statements while long ones are suspects', async () => {
    const { database } = await openTable();
    const planning = errorOf(ask(database, PLANNING, { timeoutMs: 30_000 }));
    const failed = await Promise.all([1, 2].map(() => errorOf(ask(database, CRASH))));
    expect(failed.map(({ code }) => code)).toEqual(['sql_failed', 'sql_failed']);
    const first = await Promise.race([planning, ask(database, 'SELECT 1 AS v')]);
    expect(first).toMatchObject({ rows: [{ v: 1 }] });
    await database.close();
    await planning;
  }, 60_000);

  it('keeps no process and no descriptor behind', async () => {
    const { database } = await openTable();
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    const children = (): number =>
      readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).length;
    const crash = async (): Promise<void> => {
      await errorOf(ask(database, CRASH));
      expect(await answerOf(database, '1')).toBe(1);
    };
    await crash();
    const before = [descriptors(), children()];
    for (let round = 0; round < 5; round += 1) await crash();
    await expect.poll(() => [descriptors(), children()], { timeout: 10_000 }).toEqual(before);
  }, 60_000);

  it('shows no secret in its arguments or its environment', async () => {
    const { path, database: other } = await openTable();
    await other.close();
    process.env.SVC_PLANTED = 'planted-variable';
    onTestFinished(() => void delete process.env.SVC_PLANTED);
    const parameters = { type: 's3', KEY_ID: 'planted-key', SECRET: 'planted-secret' };
    const database = await openProcess({
      path,
      readonly: false,
      secrets: [{ name: 'lake', type: 's3', parameters }],
    });
    onTestFinished(() => database.close());
    for (const file of ['cmdline', 'environ']) {
      const text = readFileSync(`/proc/${pidOf(database)}/${file}`, 'utf8');
      expect(text).not.toBe('');
      expect(text).not.toContain('planted');
    }
  });

  it('fails clearly while its file is gone or replaced', async () => {
    const { path, database } = await openTable();
    const away = `${path}.away`;
    renameSync(path, away);
    expect((await errorOf(ask(database, CRASH))).code).toBe('sql_failed');
    expect((await errorOf(read(database, 'SELECT 1'))).message).toContain(`${path} was removed or replaced`);
    expect(existsSync(path)).toBe(false);
    await runScript(path, 'SELECT 1');
    expect((await errorOf(read(database, 'SELECT 1'))).message).toContain(`${path} was removed or replaced`);
    renameSync(away, path);
    expect(await answerOf(database, 'count(*) FROM rows')).toBe(0);
  });

  it('is shared by a database that a reload opens beside another', async () => {
    const { path, database } = await openTable();
    const beside = await openProcess({ path, readonly: false, memoryMb: MEMORY_MB });
    onTestFinished(() => beside.close());
    expect(beside.pid).toBe(database.pid);
    await write(database, 'INSERT INTO rows VALUES (1)');
    expect(await answerOf(beside, 'count(*) FROM rows')).toBe(1);
    expect((await errorOf(ask(database, CRASH))).code).toBe('sql_failed');
    const answers = [database, beside].map((one) => answerOf(one, 'count(*) FROM rows'));
    expect(await Promise.all(answers)).toEqual([1, 1]);
    await database.close();
    expect((await errorOf(read(database, 'SELECT 1'))).message).toBe('The database is closed.');
    expect(await answerOf(beside, 'count(*) FROM rows')).toBe(1);
    await beside.close();
    await expect(openNative({ path, readonly: false }).then((own) => own.close())).resolves.toBeUndefined();
  });

  it('says who holds the file, and opens it later', async () => {
    const { path, database } = await openTable();
    await database.close();
    const own = await openNative({ path, readonly: false });
    expect((await errorOf(openProcess({ path, readonly: false }))).message).toContain(
      'in use by another process',
    );
    await own.close();
    const next = await openProcess({ path, readonly: false });
    onTestFinished(() => next.close());
    expect(await answerOf(next, 'count(*) FROM rows')).toBe(0);
  });
});

describe('the process of an engine', () => {
  const program = fileURLToPath(new URL('process-parent.ts', import.meta.url));

  it.each([['idle'], ['planning']])(
    'ends when its server is killed (%s)',
    async (state) => {
      const parent = spawn(process.execPath, [program, state], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = await once(parent.stdout.setEncoding('utf8'), 'data');
      const pid = Number(line);
      expect(isRunning(pid)).toBe(true);
      parent.kill('SIGKILL');
      await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
    },
    60_000,
  );
});
