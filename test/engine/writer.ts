import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

/** A program that writes rows through the engine until somebody kills it. */
export interface WriterProgram {
  /**
   * Starts a process that has loaded the engine and waits to be told to begin. No file that it writes may become larger than
   * so many kilobytes, as on a disk that is full.
   */
  start(mostKilobytes?: number): Writer;
  remove(): Promise<void>;
}

/** One process of it. */
export interface Writer {
  readonly process: ChildProcess;
  /** Tells it to open the database and to write. */
  begin(path: string): void;
  /** What it says, line by line, to its end. */
  readonly lines: AsyncIterable<string>;
}

/** The table of the program. Its rows have some kilobytes, so that logs and checkpoints take their time. */
export const ROWS_SCRIPT = `
CREATE MACRO textOf(id) AS id || repeat(md5(id::VARCHAR), 100);
CREATE TABLE rows (id INTEGER PRIMARY KEY, text VARCHAR);
`;

/**
 * Says `open <count> <max>` of what it finds, then writes rows `id, text` from there on and says the id of each that is
 * committed; now and then it checkpoints, so that some are killed while they do.
 */
const PROGRAM = `
import { writeSync } from 'node:fs';
import { loadDriver } from ${JSON.stringify(resolve('adapters/duckdb-native/driver/driver.ts'))};
import { openNative } from ${JSON.stringify(resolve('adapters/duckdb-native/open.ts'))};

const say = (line) => writeSync(1, line + '\\n');
await loadDriver();
process.stdin.once('data', async (told) => {
  const database = await openNative({ path: String(told).trim(), readonly: false, threads: 1 });
  const run = async (sql, values, mode) => {
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: 30000 };
    return (await database.run({ sql, values, mode, maxRows: 1 }, call)).rows[0];
  };
  const { n, last } = await run('SELECT count(*) AS n, coalesce(max(id), -1) AS last FROM rows WHERE text = textOf(id)', [], 'read');
  say('open ' + n + ' ' + last);
  for (let id = last + 1; ; id += 1) {
    await run('INSERT INTO rows VALUES ($1, textOf($1))', [BigInt(id)], 'write');
    say(String(id));
    if (id % 17 === 0) await run('CHECKPOINT', [], 'write');
  }
});
process.on('unhandledRejection', ({ code, message }) => {
  say('failed ' + code + ' ' + String(message).replaceAll('\\n', ' '));
  process.kill(process.pid, 'SIGKILL');
});
`;

/** Compiles the program, so that its processes start fast. */
export async function createWriterProgram(): Promise<WriterProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'writer-'));
  const outfile = join(folder, 'writer.mjs');
  await build({
    stdin: { contents: PROGRAM, resolveDir: resolve('.'), loader: 'js' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [{ name: 'driver', setup: ({ onResolve }) => onResolve({ filter: /^@duckdb\// }, installed) }],
  });
  return {
    start: (mostKilobytes) => startWriter(outfile, mostKilobytes),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The program stands outside of the project, from where packages are not found. */
function installed({ path }: { readonly path: string }) {
  return { path: import.meta.resolve(path), external: true };
}

function startWriter(program: string, mostKilobytes?: number): Writer {
  const [command = '', ...args] =
    mostKilobytes === undefined
      ? [process.execPath, program]
      : ['bash', '-c', `trap '' XFSZ; ulimit -f ${mostKilobytes}; exec "$0" "$@"`, process.execPath, program];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {});
  return {
    process: child,
    begin: (path) => child.stdin.write(`${path}\n`),
    lines: createInterface({ input: child.stdout }),
  };
}
