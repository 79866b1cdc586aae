import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openChosenPython, openPyodide } from '../../../../adapters/python-pyodide/open.ts';
import { MISSING_MODULES, STANDARD_MODULES } from '../../../../deploy/python/known-modules.ts';
import type { LogLine, Python } from '../../../../src/ports.ts';
import { SETTINGS } from '../../../engine/python/settings.ts';
import { createHost } from '../../../engine/python/subject.ts';

// interpreters start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000 });

const SOURCE = `
import os, sys, time, random, importlib

def numbers(): return [random.random(), random.getrandbits(60)]
def greedy():
    kept = []
    while True: kept.append(bytearray(10_000_000))
def modest(): return len(bytearray(50_000_000))
def leaves(): os._exit(3)
def crashes():
    import faulthandler
    faulthandler._sigsegv()
def prints():
    print("given planted-secret")
    for n in range(300): print("line", n)
    print("last", file=sys.stderr)
def sees():
    import js, pyodide_js
    return [sorted(os.environ), hasattr(js, "process"), hasattr(js, "require"), os.system("echo shell")]
def clock():
    moment = (2024, 2, 29, 23, 59, 58, 0, 0, 0)
    return [time.tzname, time.timezone, list(time.localtime(0))[:6], time.mktime(moment)]
def waits(): time.sleep(60)
def place(): return [os.getcwd(), open("here.py").read(4)]
def modules(names):
    def has(name):
        try:
            importlib.import_module(name)
            return True
        except ModuleNotFoundError:
            return False
    return [name for name in names if has(name)]
def listed(): return [name for name in sys.stdlib_module_names if not name.startswith("_")]
async def threads_of_asyncio():
    import asyncio
    return await asyncio.to_thread(lambda: "here")
async def waits_for_nothing():
    import asyncio
    await asyncio.get_running_loop().create_future()
`;

let root: string;
let python: Python;
const lines: LogLine[] = [];

const options = () => ({
  root,
  folder: 'python',
  settings: { ...SETTINGS, conceal: (text: string) => text.replaceAll('planted-secret', '[REDACTED]') },
  background: createHost(),
  log: (line: LogLine) => void lines.push(line),
  size: 2,
  memoryMb: 128,
});

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-pyodide-'));
  await writeFile(join(root, 'here.py'), SOURCE);
  python = await openPyodide(options());
});
afterAll(async () => {
  await python.close();
  await rm(root, { recursive: true });
});

async function call(name: string, args = {}, timeoutMs = 60_000): Promise<unknown> {
  const request = { file: 'here.py', name, args, kinds: {}, user: null, maxRows: 1_000, maxBytes: 1_000_000 };
  const { signal } = new AbortController();
  return (await python.call(request, createHost(), { signal, timeoutMs })).value;
}

test('chance is another one in each interpreter, though they come from one snapshot', async () => {
  const drawn = await Promise.all([call('numbers'), call('numbers')]);
  await expect(call('leaves')).rejects.toMatchObject({ code: 'python_failed' });
  drawn.push(await call('numbers'));
  expect(new Set(drawn.flat() as number[]).size).toBe(6);
});

test('memory is bounded, and the error is one of Python', async () => {
  await expect(call('greedy')).rejects.toMatchObject({
    code: 'python_failed',
    message: expect.stringContaining('MemoryError'),
  });
  expect(await call('modest')).toBe(50_000_000);
});

test('an interpreter that ends or breaks is an error of its call, and is replaced', async () => {
  for (const name of ['leaves', 'crashes']) {
    await expect(call(name)).rejects.toMatchObject({
      code: 'python_failed',
      message: 'The Python interpreter ended in the middle of the call.',
    });
  }
  expect(await call('modest')).toBe(50_000_000);
});

test('what cannot be interrupted ends at its deadline too', async () => {
  await expect(call('waits', {}, 300)).rejects.toMatchObject({
    code: expect.stringMatching(/deadline|busy/),
  });
  expect(await call('modest')).toBe(50_000_000);
});

test('what functions print goes to the log, bounded', async () => {
  await call('prints');
  await call('modest');
  const texts = () => lines.map(({ message }) => message);
  await expect.poll(texts).toContain('here.py: line 198');
  await expect.poll(texts).toContain('here.py: 102 more lines were printed');
  expect(texts()).toContain('here.py: given [REDACTED]');
});

test('Python sees nothing of the process it runs in, and no shell', async () => {
  process.env.SVC_TEST_SECRET = 'planted';
  const [environment, ...reach] = (await call('sees')) as readonly unknown[];
  delete process.env.SVC_TEST_SECRET;
  expect(environment).not.toContain('SVC_TEST_SECRET');
  expect(environment).not.toContain('PATH_INFO');
  expect(reach).toEqual([false, false, -1]);
});

test('local time is UTC, and the working folder is the project', async () => {
  expect(await call('clock')).toEqual([['UTC', 'UTC'], 0, [1970, 1, 1, 0, 0, 0], 1709251198]);
  expect(await call('place')).toEqual([root, '\nimp']);
});

test('asyncio works without threads, and says what would wait for ever', async () => {
  expect(await call('threads_of_asyncio')).toBe('here');
  await expect(call('waits_for_nothing')).rejects.toThrow('waits for an event that can never happen');
});

test('the checks before a deploy know which modules it has', async () => {
  const listed = (await call('listed')) as readonly string[];
  const known = [...STANDARD_MODULES, ...MISSING_MODULES];
  expect(listed.filter((name) => !known.includes(name))).toEqual([]);
  // these two open a browser and print a poem
  const quiet = [...STANDARD_MODULES].filter((name) => !['antigravity', 'this'].includes(name));
  expect(await call('modules', { names: quiet })).toEqual(quiet);
  expect(await call('modules', { names: [...MISSING_MODULES] })).toEqual([]);
});

test('SVC_PYTHON=pyodide chooses it, and so does the absence of python3', async () => {
  const asked = [
    { env: { ...process.env, SVC_PYTHON: 'pyodide' }, interpreter: 'python3' },
    { env: { PATH: '/nowhere' } },
    { env: process.env, interpreter: 'pyodide' },
  ];
  for (const one of asked) {
    const chosen = await openChosenPython({ ...options(), ...one, first: 'python3' });
    expect(chosen.kind).toBe('pyodide');
    await chosen.close();
  }
  const wanted = openChosenPython({
    ...options(),
    env: { SVC_PYTHON: '/nowhere/python3' },
    first: 'pyodide',
  });
  await expect(wanted).rejects.toMatchObject({ code: 'python_unavailable' });
  const named = openChosenPython({ ...options(), env: {}, interpreter: 'no/python', first: 'pyodide' });
  await expect(named).rejects.toThrow(/no\/python: the program does not exist/);
});
