import { expect, it } from 'vitest';
import { openFiles } from './files.ts';
import { PYTHON } from './found.ts';

const TOOL = `import multiprocessing
import os

from work import double

def doubled(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(double, [1, 2, 3])
    return [number for number, group in found if group == os.getpgid(0)]
`;

const WORK = `import os

def double(number):
    print("doubles", flush=True)
    return 2 * number, os.getpgid(0)
`;

it.runIf(PYTHON !== null && process.platform !== 'win32').each(['fork', 'spawn', 'forkserver'])(
  'other processes run functions of a module, and end with Python: %s',
  async (method) => {
    const { value, printed } = await openFiles({ 'a.py': TOOL, 'python/work.py': WORK });
    expect(await value('doubled', { method }, { file: 'a.py', timeoutMs: 15_000 })).toEqual([2, 4, 6]);
    await expect.poll(printed).toContain('a.py: doubles');
  },
  60_000,
);
