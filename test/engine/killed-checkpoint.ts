import { spawn } from 'node:child_process';

const PROGRAM = `
import { existsSync, statSync, writeSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const path = process.argv[1];
const log = path + '.wal.checkpoint';
const instance = await DuckDBInstance.create(path, { threads: '2' });
const [one, other] = [await instance.connect(), await instance.connect()];
await one.run("CREATE TABLE large AS SELECT md5(i::VARCHAR) AS text FROM range(400_000) t(i)");
await one.run('CREATE TABLE t (id INTEGER)');
await one.run('CHECKPOINT');
void checkpointAgain();
for (let id = 0; ; id += 1) {
  await other.run('INSERT INTO t VALUES (' + id + ')');
  if (!existsSync(log) || statSync(log).size === 0) continue;
  writeSync(1, String(id));
  process.kill(process.pid, 'SIGKILL');
}

async function checkpointAgain() {
  for (;;) {
    await one.run("UPDATE large SET text = text || 'x'");
    // It fails beside a write that has not been committed.
    await one.run('CHECKPOINT').catch(() => {});
  }
}
`;

/**
 * Fills a database in a process that is killed while one connection checkpoints and another one commits. DuckDB then
 * leaves two logs. Returns the last `id` that was committed to its table `t`.
 */
export async function killInCheckpoint(path: string): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const part of child.stdout.setEncoding('utf8')) said += part;
  return Number(said);
}
