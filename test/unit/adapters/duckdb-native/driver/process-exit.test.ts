import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-ending-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Each level doubles the time to plan it. */
const DEEP = `SELECT ${'(SELECT '.repeat(28)}1${')'.repeat(28)} AS one`;
const RUNAWAY = 'SELECT count(*) FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = 3';

async function endOf(sql: string): Promise<readonly unknown[]> {
  const path = join(folder, 'data.duckdb');
  await runScript(path, 'CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS n');
  const program = fileURLToPath(new URL('process-exit-program.ts', import.meta.url));
  const child = spawn(process.execPath, [program, path, sql], { stdio: 'inherit' });
  return once(child, 'exit');
}

describe('a process that ends', () => {
  it('does not wait for a statement', async () => {
    expect(await endOf(RUNAWAY)).toEqual([7, null]);
  });

  it('does not wait for a plan, which nothing interrupts', async () => {
    expect(await endOf(DEEP)).toEqual([null, 'SIGKILL']);
  });
});
