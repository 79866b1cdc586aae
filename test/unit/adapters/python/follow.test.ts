import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hostFolder } from '../../../../adapters/python/host-folder.ts';
import { failureOf } from '../../../engine/python/subject.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { openFiles } from './files.ts';
import { PYTHON } from './found.ts';

const PROGRAM = `
import os, sys
sys.path.insert(0, sys.argv[1])
from svc import _modules
_modules.start(sys.argv[2], "python", True)
_modules.load("tool.py")
_modules.note()
assert not _modules.is_stale()
resolved = []
realpath = os.path.realpath
os.path.realpath = lambda path, *more, **named: resolved.append(path) or realpath(path, *more, **named)
assert not _modules.is_stale()
_modules.note()
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

const INSIDE = `def number(fails=False):
    import shared

    if fails:
        raise ValueError(shared.NUMBER)
    return shared.NUMBER
`;

it.runIf(PYTHON !== null)(
  'a module that a function imports is followed, also if the call fails',
  async () => {
    const { root, call, value } = await openFiles(
      { 'python/shared.py': 'NUMBER = 1\n', 'a.py': INSIDE },
      { follow: true },
    );
    const file = { file: 'a.py' };
    expect(await value('number', {}, file)).toBe(1);
    await writeFile(join(root, 'python/shared.py'), 'NUMBER = 20\n');
    expect((await failureOf(call('number', { fails: true }, file))).message).toBe('a.py:5: ValueError: 20');
    await writeFile(join(root, 'python/shared.py'), 'NUMBER = 300\n');
    expect(await value('number', {}, file)).toBe(300);
  },
);

const SAVED = `import shared
import os

if shared.NUMBER == 1:
    with open(shared.__file__, "w") as file:
        file.write("NUMBER = 20\\n")
    # The clock of files may be a few milliseconds late.
    later = os.stat(shared.__file__).st_mtime_ns + 20_000_000
    os.utime(shared.__file__, ns=(later, later))
    while __import__("time").time_ns() < later:
        pass

def number():
    return shared.NUMBER
`;

it.runIf(PYTHON !== null)('a module that is saved while its file is loaded is loaded again', async () => {
  const files = { 'python/shared.py': 'NUMBER = 1\n', 'a.py': SAVED };
  const { value } = await openFiles(files, { follow: true });
  expect(await value('number', {}, { file: 'a.py' })).toBe(20);
});

it.runIf(PYTHON !== null)('a module behind a link out of the project is followed', async () => {
  const outside = temporaryFolder();
  await writeFile(join(outside, 'shared.py'), 'NUMBER = 1\n');
  const { root, value } = await openFiles(
    { 'python/other.py': '', 'a.py': 'import shared\n\ndef number():\n    return shared.NUMBER\n' },
    { follow: true },
  );
  await symlink(join(outside, 'shared.py'), join(root, 'python/shared.py'));
  expect(await value('number', {}, { file: 'a.py' })).toBe(1);
  await writeFile(join(outside, 'shared.py'), 'NUMBER = 20\n');
  expect(await value('number', {}, { file: 'a.py' })).toBe(20);
});
