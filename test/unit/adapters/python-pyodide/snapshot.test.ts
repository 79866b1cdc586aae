import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { pyodideFolder } from '../../../../adapters/python-pyodide/files.ts';
import { readHostModules } from '../../../../adapters/python-pyodide/host-modules.ts';
import { cachedSnapshot, createSnapshot } from '../../../../adapters/python-pyodide/snapshot.ts';

// interpreters start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000 });

const folder = pyodideFolder() ?? new URL('file:///missing/');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('the same input gives the same bytes', async () => {
  const modules = await readHostModules();
  const first = await createSnapshot(folder, modules, 7);
  expect(sha256(await createSnapshot(folder, modules, 7))).toBe(sha256(first));
});

test('a machine keeps its own, made once', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'svc-cache-'));
  const modules = await readHostModules();
  const made = await cachedSnapshot(folder, modules, join(cache, 'new'));
  const before = sha256(await readFile(made));
  expect((await cachedSnapshot(folder, modules, join(cache, 'new'))).href).toBe(made.href);
  expect(sha256(await readFile(made))).toBe(before);
  expect(await readdir(join(cache, 'new'))).toHaveLength(1);
  await rm(cache, { recursive: true });
});
