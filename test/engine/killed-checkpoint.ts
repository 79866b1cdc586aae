import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';

/** Two connections commit at the same time, because a checkpoint that begins beside one write alone fails or holds it up. */
const PROGRAM = `
import { existsSync, statSync, writeSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const path = process.argv[1];
const log = path + '.wal.checkpoint';
const instance = await DuckDBInstance.create(path, { threads: '2' });
const [one, two, other] = [await instance.connect(), await instance.connect(), await instance.connect()];
await other.run('CREATE TABLE t (id INTEGER)');
void checkpointAgain();
for (let id = 0; ; id += 2) {
  await Promise.all([one.run('INSERT INTO t VALUES (' + id + ')'), two.run('INSERT INTO t VALUES (' + (id + 1) + ')')]);
  if (!existsSync(log) || statSync(log).size === 0) continue;
  writeSync(1, String(id + 1));
  process.kill(process.pid, 'SIGKILL');
}

async function checkpointAgain() {
  // It fails beside a write that has not been committed.
  for (;;) await other.run('CHECKPOINT').catch(() => {});
}
`;

/**
 * Fills a database in a process that is killed while one connection checkpoints and others commit. DuckDB then leaves two
 * logs. A process whose checkpoint ended before the kill is followed by another one. Returns the last `id` that was committed
 * to its table `t`.
 */
export async function killInCheckpoint(path: string): Promise<number> {
  for (;;) {
    const last = await fillAndKill(path);
    if (existsSync(`${path}.wal.checkpoint`)) return last;
    for (const end of ['', '.wal']) rmSync(`${path}${end}`, { force: true });
  }
}

async function fillAndKill(path: string): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const part of child.stdout.setEncoding('utf8')) said += part;
  return Number(said);
}
