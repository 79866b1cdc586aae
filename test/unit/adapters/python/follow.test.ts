import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hostFolder } from '../../../../adapters/python/host-folder.ts';
import { failureOf } from '../../../engine/python/subject.ts';
import { openFiles } from './files.ts';
import { PYTHON } from './found.ts';

const PROGRAM = `
import os, sys
sys.path.insert(0, sys.argv[1])
from svc import _modules
_modules.start(sys.argv[2], "python", True)
_modules.load("tool.py")
assert not _modules.is_stale()
resolved = []
realpath = os.path.realpath
os.path.realpath = lambda path, *more, **named: resolved.append(path) or realpath(path, *more, **named)
assert not _modules.is_stale()
print(len(resolved))
`;

it.runIf(PYTHON !== null)('a call that looks for changed files resolves no path again', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-follow-'));
  await writeFile(join(root, 'tool.py'), 'import json, statistics\n');
  try {
    const args = ['-I', '-B', '-c', PROGRAM, hostFolder(), root];
    const { stdout } = await promisify(execFile)(PYTHON ?? '', args);
    expect(stdout.trim()).toBe('0');
  } finally {
    await rm(root, { recursive: true });
  }
});

const TOOL = `import shared

if shared.NUMBER == 1:
    raise ValueError("one")

def number():
    return shared.NUMBER
`;

it.runIf(PYTHON !== null)('a corrected module is used by a file that failed with the older one', async () => {
  const { root, call, value, python } = await openFiles(
    { 'python/shared.py': 'NUMBER = 1\n', 'a.py': TOOL, 'b.py': 'import shared\n\ndef b():\n    return 1\n' },
    { follow: true },
  );
  await value('b', {}, { file: 'b.py' });
  expect((await failureOf(call('number', {}, { file: 'a.py' }))).message).toBe('a.py:4: ValueError: one');
  await writeFile(join(root, 'python/shared.py'), 'NUMBER = 20\n');
  expect(await value('number', {}, { file: 'a.py' })).toBe(20);
  await writeFile(join(root, 'python/shared.py'), 'NUMBER = 300\n');
  await writeFile(join(root, 'c.py'), 'import shared\n\ndef c():\n    return shared.NUMBER\n');
  await python.warm?.(['c.py']);
  expect(await value('c', {}, { file: 'c.py' })).toBe(300);
});
