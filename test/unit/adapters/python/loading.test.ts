import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { failureOf } from '../../../engine/python/subject.ts';
import { isRunning } from '../../../is-running.ts';
import { openFiles } from './files.ts';
import { PYTHON } from './found.ts';

// whole processes start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000 });

/** A file that loads until `go` is there, and notes the process of each load. */
const SLOW = `import os, time
with open("loads", "a") as file:
    file.write(f"{os.getpid()} ")
while not os.path.exists("go"):
    time.sleep(0.01)
if os.path.exists("broken"):
    raise ValueError("no model")

def answer():
    return os.getpid()
`;

const FILE = { file: 'slow.py', timeoutMs: 100_000 };

/** The processes that have begun to load the file. */
function loadsOf(root: string): readonly string[] {
  const notes = join(root, 'loads');
  return existsSync(notes) ? readFileSync(notes, 'utf8').split(' ').slice(0, -1) : [];
}

const began = (root: string) => expect.poll(() => loadsOf(root).length, { timeout: 90_000 }).toBe(1);
const write = (root: string, name: string) => writeFileSync(join(root, name), '');

describe.skipIf(PYTHON === null)('a load whose call has left', () => {
  const leftLoad = async () => {
    const subject = await openFiles({ 'slow.py': SLOW });
    const controller = new AbortController();
    const first = failureOf(subject.call('answer', {}, { ...FILE, signal: controller.signal }));
    await began(subject.root);
    controller.abort();
    expect((await first).code).toBe('cancelled');
    return subject;
  };

  it('goes on, and the next call finds the file loaded', async () => {
    const { root, value } = await leftLoad();
    write(root, 'go');
    const pid = await value('answer', {}, FILE);
    expect(loadsOf(root)).toEqual([String(pid)]);
  });

  it('is told in the log when it fails', async () => {
    const { root, printed } = await leftLoad();
    write(root, 'broken');
    write(root, 'go');
    await expect
      .poll(printed, { timeout: 90_000 })
      .toContain('slow.py cannot be loaded: slow.py:7: ValueError: no model');
  });

  it.skipIf(process.platform !== 'linux')('ends with Python', async () => {
    const { root, python } = await leftLoad();
    await python.close();
    expect(loadsOf(root).map(isRunning)).toEqual([false]);
  });
});

it.skipIf(PYTHON === null)('a load has a limit of its own, above the limit of its call', async () => {
  const { root, call, value, printed } = await openFiles({ 'slow.py': SLOW });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = failureOf(call('answer', {}, { ...FILE, timeoutMs: 1_000 }));
  await began(root);
  vi.advanceTimersByTime(1_000);
  expect((await first).message).toBe('The function answer took longer than 1000 ms.');
  vi.advanceTimersByTime(59_000);
  await expect.poll(printed, { timeout: 90_000 }).toContain('Loading slow.py took longer than 60000 ms.');
  write(root, 'go');
  const pid = await value('answer', {}, FILE);
  expect(loadsOf(root)).toEqual([expect.any(String), String(pid)]);
});

it.skipIf(PYTHON === null)('files are loaded ahead of calls until the signal aborts', async () => {
  const { root, python, value, printed } = await openFiles({
    'slow.py': SLOW,
    'other.py': 'raise SystemExit',
  });
  const controller = new AbortController();
  const warmed = python.warm?.(['slow.py', 'other.py'], controller.signal);
  await began(root);
  controller.abort();
  await warmed;
  write(root, 'go');
  expect(loadsOf(root)).toEqual([String(await value('answer', {}, FILE))]);
  expect(printed()).not.toContain('cannot be loaded');
});
