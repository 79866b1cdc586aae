import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { answerOf, errorOf, read, write } from './fixture.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'native-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function newDatabase(name: string): Promise<string> {
  const path = join(folder, name);
  await runScript(path, 'CREATE TABLE notes (id INTEGER); INSERT INTO notes VALUES (1), (2)');
  return path;
}

const run = promisify(execFile);
const OPEN = resolve('adapters/duckdb-native/open.ts');

/** Another process that opens the database, then writes a row at a time and says so. */
function startWriter(path: string): ChildProcess {
  const program = `
    const { openNative } = await import(${JSON.stringify(OPEN)});
    const database = await openNative({ path: ${JSON.stringify(path)}, readonly: false });
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: 10000 };
    console.log('open');
    for (let id = 1000; ; id += 1) {
      await database.run({ sql: 'INSERT INTO notes VALUES ($1)', values: [BigInt(id)], mode: 'write', maxRows: 1 }, call);
      console.log(id);
    }`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Reads what a writer says until it has said so many lines, then kills it. */
async function killAfter(writer: ChildProcess, lines: number): Promise<readonly string[]> {
  const said: string[] = [];
  if (writer.stdout === null) throw new Error('the writer has no output');
  for await (const line of createInterface({ input: writer.stdout })) {
    said.push(line);
    if (said.length === lines) writer.kill('SIGKILL');
  }
  return said;
}

/** Expects that no other process can open the files for writing. */
async function expectLocked(...paths: readonly string[]): Promise<void> {
  const program = `
    const { openNative } = await import(${JSON.stringify(OPEN)});
    for (const path of ${JSON.stringify(paths)}) {
      console.log(await openNative({ path, readonly: false }).then((database) => database.close(), ({ code }) => code));
    }`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout.trim().split('\n')).toEqual(paths.map(() => 'database_unavailable'));
}

describe('a database file', () => {
  it('keeps what was written, without a log beside it', async () => {
    const path = join(folder, 'kept.duckdb');
    const first = await openNative({ path, readonly: false });
    await write(first, 'CREATE TABLE notes AS SELECT i FROM range(1000) t(i)');
    await first.close();
    expect(existsSync(`${path}.wal`)).toBe(false);
    const second = await openNative({ path, readonly: true });
    expect(await answerOf(second, 'count(*) FROM notes')).toBe(1000);
    await second.close();
  });

  it('is unchanging for a reader only while this process does not write to it', async () => {
    const path = await newDatabase('joined.duckdb');
    const writer = await openNative({ path, readonly: false });
    const reader = await openNative({ path, readonly: true });
    expect(reader.unchanging).toBe(false);
    await reader.close();
    await writer.close();
    const alone = await openNative({ path, readonly: true });
    expect(alone.unchanging).toBe(true);
    await alone.close();
  });

  it('keeps each acknowledged row when its writer is killed', async () => {
    const path = await newDatabase('killed.duckdb');
    let expected = 2;
    for (const lines of [2, 5, 17, 40]) {
      const acknowledged = (await killAfter(startWriter(path), lines)).slice(1);
      const database = await openNative({ path, readonly: false });
      const { rows } = await read(database, 'SELECT count(*) AS n FROM notes');
      // The one row that was on its way may have arrived as well.
      expect([0, 1]).toContain(Number(rows[0]?.n) - expected - acknowledged.length);
      expected = Number(rows[0]?.n);
      await database.close();
    }
  });

  it('in use by another process is named, with its holder', async () => {
    const path = await newDatabase('held.duckdb');
    const writer = startWriter(path);
    if (writer.stdout === null) throw new Error('the writer has no output');
    await once(createInterface({ input: writer.stdout }), 'line');
    for (const readonly of [true, false]) {
      const error = await errorOf(openNative({ path, readonly }));
      expect(error.code).toBe('database_unavailable');
      expect(error.message).toContain(`${path} is in use by another process`);
      expect(error.message).toContain(`PID ${writer.pid}`);
    }
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    await (await openNative({ path, readonly: true })).close();
  });

  it('is free for others once it is closed, after errors too', async () => {
    const path = await newDatabase('freed.duckdb');
    const database = await openNative({ path, readonly: false });
    await errorOf(read(database, "SELECT error('boom') FROM notes"));
    await errorOf(
      read(
        database,
        'SELECT count(*) FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = 3',
        [],
        { timeoutMs: 100 },
      ),
    );
    await database.close();
    expect((await killAfter(startWriter(path), 1))[0]).toBe('open');
  });

  it('open for writing is shared inside the process', async () => {
    const path = await newDatabase('shared.duckdb');
    const [first, second] = [
      await openNative({ path, readonly: false }),
      await openNative({ path, readonly: false }),
    ];
    const reader = await openNative({ path, readonly: true });
    await write(first, 'INSERT INTO notes VALUES (3)');
    await first.close();
    await write(second, 'INSERT INTO notes VALUES (4)');
    expect(await answerOf(reader, 'count(*) FROM notes')).toBe(4);
    expect((await errorOf(write(reader, 'DELETE FROM notes'))).code).toBe('database_readonly');
    await second.close();
    expect(await answerOf(reader, 'count(*) FROM notes')).toBe(4);
    await reader.close();
    expect((await killAfter(startWriter(path), 1))[0]).toBe('open');
  });

  it('open for reading cannot be written to inside the process', async () => {
    const path = await newDatabase('read.duckdb');
    const readers = [await openNative({ path, readonly: true }), await openNative({ path, readonly: true })];
    await readers[0]?.close();
    const error = await errorOf(openNative({ path, readonly: false }));
    expect(error.code).toBe('database_unavailable');
    expect(error.message).toContain('read-only in this process');
    await readers[1]?.close();
    await (await openNative({ path, readonly: false })).close();
  });

  it('that is read stays locked when another reader in the process closes, or fails to open', async () => {
    const path = await newDatabase('locked.duckdb');
    const attached = await newDatabase('attached.duckdb');
    const options = { path, readonly: true, attach: [{ name: 'other', uri: attached }], root: folder };
    const first = await openNative(options);
    const second = await openNative(options);
    await first.close();
    await expectLocked(path, attached);
    const third = await openNative(options);
    await second.close();
    await expectLocked(path, attached);
    const unreachable = { name: 'no', uri: join(folder, 'none.duckdb') };
    const error = await errorOf(openNative({ ...options, attach: [...options.attach, unreachable] }));
    expect(error.code).toBe('database_unavailable');
    await expectLocked(path, attached);
    expect(await answerOf(third, '(SELECT count(*) FROM notes) + (SELECT count(*) FROM other.notes)')).toBe(
      4,
    );
    await third.close();
    for (const free of [path, attached]) expect((await killAfter(startWriter(free), 1))[0]).toBe('open');
  });

  it('that was replaced is read, and its replacement locked', async () => {
    const path = await newDatabase('replaced.duckdb');
    const next = await newDatabase('next.duckdb');
    const before = await openNative({ path, readonly: true });
    await rename(next, path);
    const [first, second] = [
      await openNative({ path, readonly: true }),
      await openNative({ path, readonly: true }),
    ];
    await before.close();
    await first.close();
    await expectLocked(path);
    await second.close();
    expect((await killAfter(startWriter(path), 1))[0]).toBe('open');
  });

  it('that is closed ends what still runs', async () => {
    const path = await newDatabase('closing.duckdb');
    const database = await openNative({ path, readonly: true });
    const running = errorOf(
      read(database, 'SELECT count(*) FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = 3'),
    );
    await answerOf(database, '1');
    await database.close();
    expect((await running).code).toBe('cancelled');
  });

  it('in a place that cannot be is a clear error', async () => {
    await writeFile(join(folder, 'file'), '');
    const error = await errorOf(openNative({ path: join(folder, 'file', 'x.duckdb'), readonly: false }));
    expect(error.code).toBe('database_unavailable');
    expect(error.message).toContain('x.duckdb');
  });
});

describe('the driver', () => {
  it('that is not installed is named, with what to do', async () => {
    const copy = join(folder, 'without-driver');
    await mkdir(copy);
    for (const part of ['src', 'adapters']) await cp(part, join(copy, part), { recursive: true });
    await writeFile(join(copy, 'package.json'), '{"type":"module"}');
    const program = `
      const { openNative } = await import('./adapters/duckdb-native/open.ts');
      await openNative({ path: 'x.duckdb', readonly: false }).catch(({ code, message }) => console.log(code, message));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) said.push(line);
    expect(said.join('\n')).toMatch(
      /^database_unavailable .*@duckdb\/node-api[\s\S]*not installed\.\nRun `npm ci`/,
    );
  });
});
