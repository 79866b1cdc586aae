import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { pyodideFolder } from '../../../../../adapters/python-pyodide/files.ts';
import { readHostModules } from '../../../../../adapters/python-pyodide/host-modules.ts';
import { createSnapshot } from '../../../../../adapters/python-pyodide/snapshot.ts';
import {
  readTexts,
  recordTinyModules,
} from '../../../../../deploy/targets/cloudflare-workers/python-worker.ts';

// interpreters start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000 });

/** Of Pyodide 314.0.7. Where they differ, what Workers can run has changed: try it in workerd, then write it down here. */
const SIZES = '8 34 35 35 37 38 36 37 34 41 42 34 35 33 40 36 35 36 35 36 37 38 39 36 43 44 37 37 36 493';
const SHA256 = 'a4561685f4243a877565dbd529e59a30ae9dfa4df0722e01814a544e753df48d';

test('the code that Pyodide compiles while it runs is what it was', async () => {
  const folder = pyodideFolder() ?? new URL('file:///missing/');
  const snapshot = await createSnapshot(folder, await readHostModules(), 7, true);
  const recorded = await recordTinyModules(folder, snapshot);
  expect(recorded.map(({ length }) => length).join(' ')).toBe(SIZES);
  const hash = createHash('sha256');
  for (const bytes of recorded) hash.update(bytes);
  expect(hash.digest('hex')).toBe(SHA256);
});

test('a Worker carries files of text as they are, and no others', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const files = new Map([
    ['python/a.py', bytes('\ufeffA = "ä"\n')],
    ['python/model.bin', Uint8Array.of(0x80, 0x81)],
  ]);
  expect(readTexts({ files })).toEqual({ 'python/a.py': '\ufeffA = "ä"\n' });
});
