import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openPython } from '../../../../adapters/python/open.ts';
import { SETTINGS } from '../../../engine/python/settings.ts';
import { createHost, failureOf } from '../../../engine/python/subject.ts';
import { isRunning } from '../../../is-running.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { PYTHON } from './found.ts';

/** Starts a program in a session of its own, which starts another one, and never returns. */
const FUNCTION = `import subprocess, sys, time

NEXT = "import os, time; open('second.pid.new', 'w').write(str(os.getpid())); os.rename('second.pid.new', 'second.pid'); time.sleep(600)"
FIRST = f"import os, subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {NEXT!r}], start_new_session=True); open('first.pid.new', 'w').write(str(os.getpid())); os.rename('first.pid.new', 'first.pid'); time.sleep(600)"

def never() -> int:
    subprocess.Popen([sys.executable, "-c", FIRST], start_new_session=True)
    while True:
        time.sleep(1)
`;

it.skipIf(PYTHON === null || process.platform !== 'linux')(
  'a call that is cut off takes along programs that have their own sessions',
  { timeout: 120_000 },
  async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'never.py'), FUNCTION);
    const python = await openPython({
      root,
      folder: 'python',
      settings: SETTINGS,
      background: createHost(),
      log: () => {},
      size: 1,
      env: process.env,
    });
    onTestFinished(() => python.close());
    const controller = new AbortController();
    const call = {
      file: 'never.py',
      name: 'never',
      args: {},
      kinds: {},
      user: null,
      maxRows: 10,
      maxBytes: 1_000_000,
    };
    const cut = failureOf(python.call(call, createHost(), { signal: controller.signal, timeoutMs: 100_000 }));
    const files = ['first.pid', 'second.pid'].map((name) => join(root, name));
    await expect.poll(() => files.every((file) => existsSync(file)), { timeout: 90_000 }).toBe(true);
    const pids = files.map((file) => readFileSync(file, 'utf8'));
    expect(pids.map(isRunning)).toEqual([true, true]);
    controller.abort();
    expect((await cut).code).toBe('cancelled');
    await expect.poll(() => pids.map(isRunning), { timeout: 20_000 }).toEqual([false, false]);
  },
);
