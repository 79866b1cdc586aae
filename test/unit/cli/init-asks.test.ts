import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { folder } from './svc.ts';

const SVC = resolve('cli/svc.js');
const hasTerminals = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;

/** Runs `svc init demo` in a terminal of a user whose folder is `cwd`, and answers each question when it comes. */
async function converse(cwd: string, answers: readonly (readonly [RegExp, string])[]): Promise<string> {
  const command = `'${process.execPath}' '${SVC}' init demo`;
  const env = { ...process.env, HOME: cwd };
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const left = [...answers];
  let shown = '';
  let unanswered = '';
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    unanswered += chunk;
    const [next] = left;
    if (next === undefined || !next[0].test(unanswered)) return;
    left.shift();
    unanswered = '';
    child.stdin.write(`${next[1]}\n`);
  });
  expect(await once(child, 'close'), shown).toEqual([0, null]);
  return shown;
}

it.skipIf(!hasTerminals)(
  'svc init asks for data on a terminal, and again if a file is missing',
  {
    timeout: 120_000,
  },
  async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'sales.csv'), 'id,amount\n1,2\n');
    writeFileSync(join(cwd, 'people.csv'), 'id,name\n1,Ada\n');
    const shown = await converse(cwd, [
      [/Project name \(demo\): /, ''],
      [/Data to start from: .*\(none\): /, 'gone.csv sales.csv lost.csv'],
      [/no file gone\.csv\.\s+There is no file lost\.csv[\s\S]*\(none\): /, '~/sales.csv people.csv'],
    ]);
    expect(shown).not.toContain('example tool');
    for (const tool of ['list_sales', 'list_people']) {
      expect(existsSync(join(cwd, `demo/tools/${tool}.yml`))).toBe(true);
    }
    expect(readFileSync(join(cwd, 'demo/svc-site.yml'), 'utf8')).toContain('readonly: true');
  },
);

it.skipIf(!hasTerminals)(
  'svc init offers the example if there is no data',
  { timeout: 120_000 },
  async () => {
    const cwd = folder();
    await converse(cwd, [
      [/Project name \(demo\): /, ''],
      [/\(none\): /, ''],
      [/Add an example tool\? \(Y\/n\) /, ''],
    ]);
    expect(existsSync(join(cwd, 'demo/tools/hello_world.yml'))).toBe(true);
  },
);
