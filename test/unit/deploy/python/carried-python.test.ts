import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPython } from '../../../../deploy/python/carried-python.ts';

const root = await mkdtemp(join(tmpdir(), 'svc-carried-'));
await mkdir(join(root, 'tools'));
await mkdir(join(root, 'python'));
await writeFile(join(root, 'tools/a.py'), 'import rates');
await writeFile(join(root, 'python/rates.py'), '');
await writeFile(join(root, 'python/.env'), 'TOKEN=x');
await writeFile(join(root, 'config.yml'), 'token: x');

test('endpoints and the folder of modules go into an artefact, and no hidden file', async () => {
  const python = await readPython(root, ['tools/a.py'], 'python');
  expect([...(python?.files.keys() ?? [])]).toEqual(['python/rates.py', 'tools/a.py']);
});

test('a project that is its own folder of modules is refused, because all its files would go with it', async () => {
  await expect(readPython(root, ['tools/a.py'], '.')).rejects.toMatchObject({
    code: 'target_unsupported',
    message: expect.stringContaining('paths.python'),
  });
  expect(await readPython(root, [], '.')).toBeNull();
});
