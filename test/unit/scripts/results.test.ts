import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { resultsOf } from '../../../scripts/test/results.js';

/** Runs vitest on one test file, and counts the results as `npm test` does. */
async function run(text: string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-results-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, 'one.test.js');
  writeFileSync(file, text);
  const [report, unhandled] = [join(root, 'report.json'), join(root, 'unhandled.json')];
  const reporters = ['--reporter=json', `--reporter=${resolve('scripts/test/unhandled-reporter.js')}`];
  const args = ['run', '--globals', `--root=${root}`, ...reporters, `--outputFile.json=${report}`];
  const env = { ...process.env, SVC_TEST_UNHANDLED: unhandled };
  const child = spawn(resolve('node_modules/.bin/vitest'), args, { env, stdio: 'ignore' });
  const [status] = await once(child, 'close');
  return { file, ...resultsOf({ report, unhandled, status }) };
}

it('names the file and the error where a promise is rejected before a test awaits it', async () => {
  const early = `const table = [['x', Promise.reject(new Error('planted'))]];
test.each(table)('%s', async (_name, work) => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  await expect(work).rejects.toThrow('planted');
});
`;
  const { file, passed, failed, crashed, names } = await run(early);
  expect({ passed, failed, crashed }).toEqual({ passed: 1, failed: 1, crashed: true });
  expect(names).toEqual([expect.stringMatching(/: Unhandled Rejection\. A promise was rejected before/)]);
  expect(names[0]).toContain(file);
  expect(names[0]).toContain('Error: planted');
});

it('names the file of a failed test, and of one that cannot be loaded', async () => {
  const failing = await run("test('sums', () => expect(1).toBe(2));\n");
  expect(failing).toMatchObject({ passed: 0, failed: 1, crashed: false });
  expect(failing.names[0]).toContain(`${failing.file}: sums\n    AssertionError`);
  const unloaded = await run("throw new Error('planted');\n");
  expect(unloaded).toMatchObject({ failed: 1, names: [`${unloaded.file} cannot be loaded\n    planted`] });
});
