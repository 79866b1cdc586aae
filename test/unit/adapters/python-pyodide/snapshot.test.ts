import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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

test('a machine of another language gives the same bytes', async () => {
  const from = (module: string) =>
    new URL(`../../../../adapters/python-pyodide/${module}.ts`, import.meta.url);
  const script = join(await mkdtemp(join(tmpdir(), 'svc-language-')), 'digest.mjs');
  await writeFile(
    script,
    `import { createHash } from 'node:crypto';
    import { readHostModules } from '${from('host-modules')}';
    import { createSnapshot } from '${from('snapshot')}';
    const bytes = await createSnapshot(new URL('${folder}'), await readHostModules(), 7);
    process.stdout.write(createHash('sha256').update(bytes).digest('hex'));`,
  );
  const digest = async (LC_ALL: string) => {
    const env = { ...process.env, LC_ALL };
    return (await promisify(execFile)(process.execPath, [script], { env })).stdout;
  };
  expect(await digest('de_DE.UTF-8')).toBe(await digest('en_US.UTF-8'));
});

test('a machine keeps its own, made once, and drops what nobody has used for a month', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'svc-cache-'));
  const modules = await readHostModules();
  const others = [
    'python-0123456789abcdef.bin',
    'python-fedcba9876543210.bin',
    `.${randomUUID()}`,
    'mine.bin',
  ];
  await mkdir(join(cache, 'new'));
  for (const name of others) {
    await writeFile(join(cache, 'new', name), '');
    if (!name.startsWith('python-f')) await utimes(join(cache, 'new', name), 0, 0);
  }
  const made = await cachedSnapshot(folder, modules, join(cache, 'new'));
  const before = sha256(await readFile(made));
  const kept = [basename(fileURLToPath(made)), 'mine.bin', 'python-fedcba9876543210.bin'].toSorted();
  expect((await readdir(join(cache, 'new'))).toSorted()).toEqual(kept);
  await utimes(made, 0, 0);
  expect((await cachedSnapshot(folder, modules, join(cache, 'new'))).href).toBe(made.href);
  expect(sha256(await readFile(made))).toBe(before);
  expect((await stat(made)).mtimeMs).toBeGreaterThan(Date.now() - 600_000);
  // a file is in the place of the folder: for whoever runs this, rights may not count
  await expect(cachedSnapshot(folder, modules, join(cache, 'new', 'mine.bin'))).rejects.toMatchObject({
    code: 'python_unavailable',
    message: expect.stringMatching(/mine\.bin: .*\n.*XDG_CACHE_HOME/),
  });
  await rm(cache, { recursive: true });
});
