import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOutput } from '../../../cli/io/output.ts';
import { folder, svc } from './svc.ts';

const hasTerminals = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;

/** A project with a test that takes two seconds at least. */
function slowProject(): string {
  const root = folder();
  const tool = `svc: 1
tool:
  name: slow
  source: { language: python, file: ../python/slow.py }
  tests: [{ name: waits, arguments: [], result: 7 }]
`;
  const files = {
    'svc-site.yml': 'svc: 1\nproject: demo\nprofile: default\n',
    'tools/slow.yml': tool,
    'python/slow.py': 'import time\n\ndef slow():\n    time.sleep(2)\n    return 7\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Runs `svc test` in a terminal, and returns all that the terminal got. */
async function testInTerminal(cwd: string, ...options: readonly string[]): Promise<string> {
  const command = [process.execPath, resolve('cli/svc.js'), 'test', ...options];
  const words = command.map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', words, '/dev/null'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += chunk;
  });
  expect(await once(child, 'close'), shown).toEqual([0, null]);
  return shown;
}

describe('progress of a command', () => {
  // Requirements: cli.progress
  it.skipIf(!hasTerminals)(
    'is shown on a terminal, and neither with --json nor elsewhere',
    async () => {
      const root = slowProject();
      const shown = await testInTerminal(root);
      expect(shown).toMatch(/\[[ =]{20}\] testing: tool\/slow: waits \d+ s/);
      // nothing of the line stays under the report
      expect(shown.split('\x1b[2K').at(-1)).not.toMatch(/\[[ =]{20}\]/);
      const json = await testInTerminal(root, '--json');
      expect(JSON.parse(json)).toMatchObject({ status: 'ok' });
      const piped = await svc(['test'], root);
      expect(piped.stderr).toBe('');
      expect(piped.stdout).not.toContain('\x1b[2K');
    },
    120_000,
  );

  // Requirements: cli.progress
  it('prints nothing with --json, even on a terminal', async () => {
    vi.useFakeTimers();
    const write = vi.fn(() => true);
    const terminal = Object.create(process.stderr, { isTTY: { value: true }, write: { value: write } });
    const replaced = vi.spyOn(process, 'stderr', 'get').mockReturnValue(terminal);
    onTestFinished(() => {
      vi.useRealTimers();
      replaced.mockRestore();
    });
    for (const json of [true, false]) {
      const { promise, resolve: end } = Promise.withResolvers<void>();
      const ended = createOutput({ json, debug: false }).progress('working', () => promise);
      await vi.advanceTimersByTimeAsync(3_000);
      end();
      await ended;
      expect(write.mock.calls.length > 0).toBe(!json);
    }
  });
});
