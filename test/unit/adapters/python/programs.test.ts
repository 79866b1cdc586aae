import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { failureOf } from '../../../engine/python/subject.ts';
import { isRunning } from '../../../is-running.ts';
import { openFiles } from './files.ts';
import { PYTHON } from './found.ts';

// whole processes start here, on machines with little to spare
vi.setConfig({ testTimeout: 60_000 });

/** Functions that leave a program running, which holds their standard error open. */
const PROGRAMS = `import os, subprocess

def leaves(**how):
    return subprocess.Popen(["/bin/sleep", "1000"], **how).pid

def dies():
    print("last words", flush=True)
    os.kill(os.getpid(), 9)
`;

const FILE = { file: 'programs.py', timeoutMs: 100_000 };

describe.skipIf(PYTHON === null || process.platform !== 'linux')(
  'a program that a function leaves running',
  () => {
    it.each([
      ['the session of Python', {}],
      ['a session of its own', { start_new_session: true }],
    ])('in %s ends with Python', async (_, how) => {
      const { python, value } = await openFiles({ 'programs.py': PROGRAMS });
      const pid = Number(await value('leaves', how, FILE));
      expect(isRunning(pid)).toBe(true);
      await python.close();
      await expect.poll(() => isRunning(pid), { timeout: 30_000 }).toBe(false);
    });

    it('hides no crash, and no last line', async () => {
      const { call, value, printed } = await openFiles({ 'programs.py': PROGRAMS });
      const pid = Number(await value('leaves', {}, FILE));
      expect((await failureOf(call('dies', {}, FILE))).message).toBe(
        'The Python process ended by signal SIGKILL in the middle of the call.',
      );
      expect(printed()).toContain('programs.py: last words');
      await expect.poll(() => isRunning(pid), { timeout: 30_000 }).toBe(false);
    });

    it('holds nothing up, even if it is not found', async () => {
      const { python, value } = await openFiles({ 'programs.py': PROGRAMS });
      const pid = Number(await value('leaves', { start_new_session: true, env: {} }, FILE));
      onTestFinished(() => void process.kill(pid, 'SIGKILL'));
      await python.close();
      expect(isRunning(pid)).toBe(true);
    });
  },
);
