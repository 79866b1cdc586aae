import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPython } from '../../../../deploy/python/carried-python.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

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

test('a copied package keeps its metadata and licences, and loses the marks of its installation', async () => {
  const folder = join(temporaryFolder(), 'python/rates-1.0.dist-info');
  await mkdir(join(folder, 'licenses'), { recursive: true });
  const kept = ['LICENSE', 'METADATA', 'entry_points.txt', 'licenses/NOTICE'];
  const marks = ['INSTALLER', 'RECORD', 'REQUESTED', 'WHEEL', 'direct_url.json'];
  for (const name of [...kept, ...marks]) await writeFile(join(folder, name), name);
  const python = await readPython(join(folder, '../..'), ['python/rates-1.0.dist-info/METADATA'], 'python');
  expect([...(python?.files.keys() ?? [])]).toEqual(kept.map((name) => `python/rates-1.0.dist-info/${name}`));
});

test('a link to a folder is refused with advice, because an artefact has no links', async () => {
  const project = temporaryFolder();
  for (const path of ['python', 'shared']) await mkdir(join(project, path));
  await writeFile(join(project, 'python/a.py'), '');
  await symlink('../shared', join(project, 'python/lib'));
  await expect(readPython(project, ['python/a.py'], 'python')).rejects.toMatchObject({
    code: 'project_invalid',
    message: expect.stringMatching(
      /^python\/lib is a link to a folder.* Copy the folder there, or remove the link/,
    ),
  });
});

test('a project that is its own folder of modules is refused, because all its files would go with it', async () => {
  await expect(readPython(root, ['tools/a.py'], '.')).rejects.toMatchObject({
    code: 'target_unsupported',
    message: expect.stringContaining('paths.python'),
  });
  expect(await readPython(root, [], '.')).toBeNull();
});
