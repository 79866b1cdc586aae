import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { answerOf } from './fixture.ts';
import { createWriterProgram, ROWS_SCRIPT, type WriterProgram } from './writer.ts';

/* `SVC_TEST_WRITE_HISTORIES=100` makes it longer; test/engine/durability.test.ts kills more often, on a disk with room. */

const HISTORIES = Number(process.env.SVC_TEST_WRITE_HISTORIES ?? 3);
const SEED = Number(process.env.SVC_TEST_HISTORY_SEED ?? 20_261_123);
const SLOW = 3_600_000;

const run = promisify(execFile);
let folder: string;
let program: WriterProgram;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
  program = await createWriterProgram();
});
afterAll(async () => {
  await program.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Writes rows of 96 KB until the log is full, and says of each what became of it. */
const FILL_LOG = `
const { openNative } = await import(${JSON.stringify(resolve('adapters/duckdb-native/open.ts'))});
const database = await openNative({ path: process.argv[1], readonly: false, threads: 1 });
const sql = "INSERT INTO rows SELECT $1, string_agg(md5(i::VARCHAR || $1), '') FROM range(3000) t(i)";
for (let id = 0n; id < 80n; id += 1n) {
  const call = { caller: null, signal: new AbortController().signal, timeoutMs: 30000 };
  const written = database.run({ sql, values: [id], mode: 'write', maxRows: 1 }, call);
  console.log(await written.then(() => 'ok', ({ code }) => code));
}
process.exit(0);
`;

/** One process: the kilobytes that each of its files may have, null for any, and the rows after which it is killed. */
interface Round {
  readonly room: number | null;
  readonly rows: number;
}

const round: fc.Arbitrary<Round> = fc.record({
  room: fc.option(fc.integer({ min: 1, max: 700 }), { freq: 4 }),
  rows: fc.nat({ max: 60 }),
});

/** What a process said, to its end. */
async function runRound(path: string, { room, rows }: Round): Promise<readonly string[]> {
  const writer = program.start(room ?? undefined);
  const said: string[] = [];
  writer.begin(path);
  for await (const line of writer.lines) {
    said.push(line);
    if (said.length === rows + 1) writer.process.kill('SIGKILL');
  }
  return said;
}

describe('what is committed', () => {
  it('is a success, though the disk is too full for the checkpoint after it', { timeout: SLOW }, async () => {
    const path = join(folder, 'checkpoint.duckdb');
    const filler = 'SELECT md5(i::VARCHAR) || md5((-i)::VARCHAR) AS x FROM range(250000) t(i)';
    await runScript(path, `CREATE TABLE rows (id BIGINT, text VARCHAR); CREATE TABLE filler AS ${filler};`);
    // DuckDB makes a checkpoint when the log has 1 MiB. After some of them, the file has no room for another one.
    const limited = ['-c', `trap '' XFSZ; ulimit -f 17500; exec "$0" "$@"`, process.execPath];
    const { stdout } = await run('bash', [...limited, '--input-type=module', '-e', FILL_LOG, path]);
    const said = stdout.trim().split('\n');
    expect(said).toEqual(said.map(() => 'ok'));
    const database = await openNative({ path, readonly: false });
    expect(await answerOf(database, 'count(*) FROM rows')).toBe(80);
    await database.close();
  });

  let [files, kills, full] = [0, 0, 0];

  async function play(rounds: readonly Round[]): Promise<void> {
    files += 1;
    const path = join(folder, `${files}.duckdb`);
    await runScript(path, ROWS_SCRIPT);
    let acknowledged = -1;
    // The last process has room, and looks at what is there.
    for (const one of [...rounds, { room: null, rows: 0 }]) {
      const said = await runRound(path, one);
      const failed = said.find((line) => line.startsWith('failed'));
      const [, count, last] = /^open (\d+) (-?\d+)$/.exec(said[0] ?? '') ?? [];
      if (one.room === null && failed !== undefined) throw new Error(`with room again: ${failed}`);
      if (failed === undefined) kills += 1;
      else full += 1;
      // A disk may be too full for the log of the process before.
      if (last === undefined) continue;
      expect(Number(count), 'rows are numbered without a gap, and none has a wrong text').toBe(
        Number(last) + 1,
      );
      expect([acknowledged, acknowledged + 1], 'the row on its way may have arrived').toContain(Number(last));
      acknowledged = Number(said.findLast((line) => /^\d+$/.test(line)) ?? last);
    }
    await rm(path);
  }

  // Requirements: writes.histories
  it(`is there after any kills and full disks (${HISTORIES} histories, seed ${SEED})`, {
    timeout: SLOW,
  }, async () => {
    const histories = fc.array(round, { minLength: 3, maxLength: 8, size: 'max' });
    await fc.assert(fc.asyncProperty(histories, play), {
      seed: SEED,
      numRuns: HISTORIES,
      interruptAfterTimeLimit: SLOW,
    });
    process.stderr.write(`seed ${SEED}: ${HISTORIES} histories, ${kills} kills, ${full} full disks\n`);
    expect(Math.min(kills, full)).toBeGreaterThan(0);
  });
});
