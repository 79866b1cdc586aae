import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const GIB = 2 ** 30;
const MEMORY_MB = 128;
const ROWS = 15_800_000;

/** Columns that nothing can compress, as they are. */
const TABLE = `CREATE TABLE big AS SELECT i AS id, hash(i) AS a, hash(i + 1) AS b, hash(i + 2) AS c, i * 3 AS d, i * 5 AS e,
  i * 7 AS f, i * 11 AS g FROM range(${ROWS}) t(i)`;

/** In a process of its own, whose memory is not looked at. */
const MAKE = `
import { loadDriver } from ${JSON.stringify(resolve('adapters/duckdb-native/driver/driver.ts'))};
const { openInstance } = await loadDriver();
const options = { preserve_insertion_order: 'false', force_compression: 'uncompressed', memory_limit: '1GB' };
const instance = await openInstance(process.argv[1], options);
const connection = await instance.connect();
await connection.run(${JSON.stringify(TABLE)});
await connection.run('CHECKPOINT');
connection.closeSync();
instance.closeSync();
`;

/** Says what each query answered, then how far the process's memory rose above what it was with the engine loaded. */
const ASK = `
const [engine, path] = process.argv.slice(1);
const options = { path, readonly: true, memoryMb: ${MEMORY_MB} };
const { openNative } = await import(${JSON.stringify(resolve('adapters/duckdb-native/open.ts'))});
const { openWasmPool } = await import(${JSON.stringify(resolve('adapters/duckdb-wasm/pool/open.ts'))});
const open = engine === 'native' ? () => openNative(options) : () => openWasmPool({ ...options, workers: 1 });
const before = process.memoryUsage.rss();
const database = await open();
const call = { caller: null, signal: new AbortController().signal, timeoutMs: 120000 };
const ask = async (sql) => {
  const answer = await database.run({ sql, values: [], mode: 'read', maxRows: 10 }, call).catch(({ code }) => ({ rows: [{ code }] }));
  console.log(JSON.stringify(answer.rows[0]));
};
await ask('SELECT count(*) AS n FROM big');
await ask('SELECT g FROM big WHERE id = 12345678');
await ask('SELECT sum(id)::VARCHAR AS total FROM big');
await ask("SELECT count(*) FROM (SELECT DISTINCT a, b, c FROM big)");
await ask('SELECT d FROM big WHERE id = 3');
await database.close();
console.log(process.resourceUsage().maxRSS * 1024 - before);
`;

let folder: string;
let path: string;
let room = false;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'big-file-'));
  path = join(folder, 'big.duckdb');
  const { bavail, bsize } = await statfs(folder);
  room = bavail * bsize > 3 * GIB;
  if (room) await run(MAKE, [path]);
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(program: string, args: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) said.push(line);
  expect((await ended)[0]).toBe(0);
  return said;
}

describe('a database of a gigabyte', () => {
  it.for(['native', 'wasm'])(
    'is used by the %s engine within its memory',
    { timeout: 240_000 },
    async (engine, { skip }) => {
      skip(!room, 'there are no 3 GiB of room for it here');
      expect((await stat(path)).size).toBeGreaterThan(GIB);
      const [rise, ...answers] = [...(await run(ASK, [engine, path]))].reverse();
      expect(answers.reverse().map((line) => JSON.parse(line))).toEqual([
        { n: ROWS },
        { g: 12345678 * 11 },
        { total: String((ROWS * (ROWS - 1)) / 2) },
        { code: 'memory_exceeded' },
        { d: 9 },
      ]);
      expect(Number(rise)).toBeLessThan(0.45 * GIB);
    },
  );
});
