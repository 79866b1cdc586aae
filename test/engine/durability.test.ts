import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { read } from './fixture.ts';
import { createWriterProgram, ROWS_SCRIPT, type Writer, type WriterProgram } from './writer.ts';

const KILLS = 100;
/** Started ahead, so that one is ready when the one before is dead. */
const READY = 2;

let folder: string;
let program: WriterProgram;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durability-'));
  await chmod(folder, 0o755);
  program = await createWriterProgram();
});
afterAll(async () => {
  await program.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Seen {
  /** Null: it was killed before it had opened the database. */
  readonly opened: { readonly count: number; readonly last: number } | null;
  /** The ids of the rows that it said are committed. */
  readonly acknowledged: readonly number[];
}

/** Lets a writer write and kills it at a moment of chance: while it opens, or some rows later. */
async function killSomewhere(writer: Writer, path: string): Promise<Seen> {
  const early = Math.random() < 0.15;
  const rows = Math.floor(Math.random() * 20);
  const kill = () => writer.process.kill('SIGKILL');
  const said: string[] = [];
  writer.begin(path);
  if (early) setTimeout(kill, Math.random() * 60);
  for await (const line of writer.lines) {
    said.push(line);
    if (said.length === rows + 1 && !early) setTimeout(kill, Math.random() * 4);
  }
  const [first, ...rest] = said;
  const [, count, last] = /^open (\d+) (-?\d+)$/.exec(first ?? '') ?? [];
  return {
    opened: count === undefined ? null : { count: Number(count), last: Number(last) },
    acknowledged: rest.map(Number),
  };
}

describe('what is committed', () => {
  it(`is there after each of ${KILLS} kills at any moment`, { timeout: 900_000 }, async () => {
    const path = join(folder, 'kept.duckdb');
    await runScript(path, ROWS_SCRIPT);
    const ready = Array.from({ length: READY }, () => program.start());
    let acknowledged = -1;
    let killedEarly = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const writer = ready.shift();
      if (writer === undefined) throw new Error('no writer is ready');
      if (round + READY < KILLS) ready.push(program.start());
      const seen = await killSomewhere(writer, path);
      if (seen.opened === null) {
        killedEarly += 1;
        continue;
      }
      const { count, last } = seen.opened;
      // Rows are numbered without a gap, and a row with a wrong text is not counted.
      expect({ round, count }).toEqual({ round, count: last + 1 });
      // The one row that was on its way may have arrived as well.
      expect([0, 1], `round ${round}: ${last} was found, ${acknowledged} was acknowledged`).toContain(
        last - acknowledged,
      );
      acknowledged = seen.acknowledged.at(-1) ?? last;
    }
    const database = await openNative({ path, readonly: false });
    const { rows } = await read(
      database,
      'SELECT count(*) AS n, max(id) AS last FROM rows WHERE text = textOf(id)',
    );
    expect([acknowledged, acknowledged + 1]).toContain(rows[0]?.last);
    expect(rows[0]?.n).toBe(Number(rows[0]?.last) + 1);
    await database.close();
    expect(killedEarly).toBeLessThan(KILLS / 2);
    expect(acknowledged).toBeGreaterThan(KILLS);
  });
});

/** What opening a file for writing and for reading comes to, in a process that has no special rights. */
async function openUnprivileged(path: string, before: readonly string[] = []): Promise<readonly string[]> {
  const [command = process.execPath, ...args] = [...before, process.execPath];
  const program = `
    const { openNative } = await import(${JSON.stringify(resolve('adapters/duckdb-native/open.ts'))});
    for (const readonly of [false, true]) {
      try {
        const database = await openNative({ path: ${JSON.stringify(path)}, readonly });
        const call = { caller: null, signal: new AbortController().signal, timeoutMs: 10000 };
        const { rows } = await database.run({ sql: 'FROM notes', values: [], mode: 'read', maxRows: 9 }, call);
        console.log(readonly, JSON.stringify(rows));
        await database.close();
      } catch ({ code, message }) {
        console.log(readonly, code, message.replaceAll('\\n', ' '));
      }
    }`;
  const nobody = process.getuid?.() === 0 && before.length === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(command, [...args, '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...nobody,
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) said.push(line);
  return said;
}

describe('a database that cannot be written', () => {
  async function notes(name: string): Promise<string> {
    const own = join(folder, name);
    await mkdir(own);
    const path = join(own, 'notes.duckdb');
    await runScript(path, 'CREATE TABLE notes AS SELECT 1 AS id');
    return path;
  }
  const READS = 'true [{"id":1}]';

  it.each([
    ['its file', 0o444, 0o755],
    ['its folder, where the log comes to lie', 0o666, 0o555],
  ])('for the rights of %s is read with `readonly: true`, and says so', async (_, file, around) => {
    const path = await notes(`rights-${file}`);
    await chmod(path, file);
    await chmod(dirname(path), around);
    const [writing, reading] = await openUnprivileged(path);
    await chmod(dirname(path), 0o755);
    expect(writing).toMatch(/^false database_unavailable .*cannot be written to .*Set `readonly: true`/);
    expect(reading).toBe(READS);
  });

  it('for its medium is read with `readonly: true`, and says so', async ({ skip }) => {
    const path = await notes('medium');
    const mount = [
      'unshare',
      '-rm',
      'bash',
      '-ec',
      'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; exec "$@"',
    ];
    const able = spawnSync(mount[0] ?? '', [...mount.slice(1), dirname(path), 'true'], { stdio: 'ignore' });
    skip(able.status !== 0, 'nothing can be mounted read-only here (unshare, mount)');
    const [writing, reading] = await openUnprivileged(path, [...mount, dirname(path)]);
    expect(writing).toMatch(
      /^false database_unavailable .*medium that cannot be written to.*`readonly: true`/,
    );
    expect(reading).toBe(READS);
  });
});
