import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openNodeDatabase } from '../../../../../adapters/node/database/open-database.ts';

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
