import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openNodeDatabase } from '../../../../../adapters/node/database/open-database.ts';
import type { LogLine } from '../../../../../src/ports.ts';

/** Opens a file for writing in another process; returns what it says. */
function openElsewhere(path: string): string {
  const program = `const { DuckDBInstance } = await import('@duckdb/node-api');
    await DuckDBInstance.create(process.argv[1]).then(() => console.log('open'), (thrown) => console.log(thrown.message));`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program, path], { encoding: 'utf8' })
    .stdout;
}

// Requirements: transition.succeeds
test('a file that is open for writing stays locked for others when it is opened again, as a reload does', {
  timeout: 120_000,
}, async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-open-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const choice = { path: join(root, 'a.db'), readonly: false, engine: 'native', createsEmpty: true } as const;
  const first = await openNodeDatabase(choice);
  const second = await openNodeDatabase({ ...choice, create: false });
  expect(openElsewhere(choice.path)).toContain('Could not set lock');
  await first.close();
  expect(openElsewhere(choice.path)).toContain('Could not set lock');
  await second.close();
  expect(openElsewhere(choice.path)).toBe('open\n');
});

test.each([
  ['all', false],
  ['callers', true],
] as const)(
  'the log says that the process of an engine ended (%s)',
  async (isolated, readonly) => {
    const lines: LogLine[] = [];
    const choice = { path: ':memory:', readonly, engine: 'native', isolated } as const;
    const database = await openNodeDatabase({ ...choice, log: (line) => lines.push(line) });
    onTestFinished(() => database.close());
    const sql = "SELECT reservoir_quantile(3::TINYINT, 'nan'::DOUBLE) FROM range(3)";
    const request = { sql, values: [], mode: 'read', maxRows: 1, confined: true } as const;
    const call = { caller: null, timeoutMs: 60_000, signal: new AbortController().signal };
    await expect(database.run(request, call)).rejects.toThrow(/failed on this statement/);
    expect(lines).toMatchObject([{ level: 'warn' }]);
    expect(lines[0]?.message).toMatch(
      /^the database engine ended by signal SIG[A-Z]+, and is started again$/,
    );
  },
  120_000,
);
