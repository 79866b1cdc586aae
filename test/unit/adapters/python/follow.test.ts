import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hostFolder } from '../../../../adapters/python/host-folder.ts';
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
