import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findProjectRoot, openProjectFiles } from '../../../../../adapters/node/project/project-files.ts';
import { loadProject } from '../../../../../src/project/load.ts';

const outside = mkdtempSync(join(realpathSync(tmpdir()), 'svc-files-'));
const root = join(outside, 'project');
const tree: Record<string, string> = {
  'svc-site.yml': 'svc: 1\nproject: demo\nprofile: default\n',
  'tools/b.yml': 'tool: { name: b, source: { file: ../sql/q.sql } }',
  'tools/deep/a.yml': 'tool: { name: a, source: { file: leak.sql } }',
  'sql/q.sql': 'SELECT 1',
};
for (const [path, text] of Object.entries(tree)) {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}
writeFileSync(join(outside, 'secret.sql'), 'SELECT secret');
symlinkSync(join(outside, 'secret.sql'), join(root, 'tools/deep/leak.sql'));
symlinkSync(join(root, 'sql'), join(root, 'tools/linked'));
symlinkSync(outside, join(root, 'tools/out'));
symlinkSync('nowhere', join(root, 'tools/dangling.yml'));
execFileSync('mkfifo', [join(root, 'tools/pipe.sql')]);
afterAll(() => rmSync(outside, { recursive: true }));

describe('the files of a project', () => {
  it('are listed below a folder, sorted, relative to the root', async () => {
    const files = await openProjectFiles(root);
    expect(await files.list('sql')).toEqual(['sql/q.sql']);
    expect(await files.list('tools')).toEqual([
      'tools/b.yml',
      'tools/dangling.yml',
      'tools/deep/a.yml',
      'tools/deep/leak.sql',
      'tools/linked',
      'tools/out',
    ]);
    expect(await files.list('none')).toEqual([]);
    expect(await files.list('svc-site.yml')).toEqual([]);
  });

  it('are read, as far as asked for', async () => {
    const files = await openProjectFiles(root);
    const text = async (path: string, limit?: number) =>
      new TextDecoder().decode((await files.read(path, limit)) ?? undefined);
    expect(await text('sql/q.sql')).toBe('SELECT 1');
    expect(await text('sql/q.sql', 6)).toBe('SELECT');
    expect(await text('sql/../sql/q.sql', 100)).toBe('SELECT 1');
    expect(await text('tools/linked/q.sql')).toBe('SELECT 1');
  });

  it.each(['none', 'sql', 'sql/q.sql/x', 'tools/dangling.yml', 'tools/pipe.sql', 'a\0b', 'x'.repeat(5_000)])(
    'are not there: %s',
    async (path) => {
      expect(await (await openProjectFiles(root)).read(path)).toBeNull();
    },
  );

  it.each(['../secret.sql', '/etc/passwd', 'tools/deep/leak.sql', 'tools/out/secret.sql'])(
    'are inside the project: not %s',
    async (path) => {
      const files = await openProjectFiles(root);
      await expect(files.read(path)).rejects.toMatchObject({ code: 'project_invalid' });
    },
  );

  it('may be reached through a link themselves', async () => {
    symlinkSync(root, join(outside, 'alias'));
    const files = await openProjectFiles(join(outside, 'alias'));
    expect(await files.list('sql')).toEqual(['sql/q.sql']);
    expect(await files.read('sql/q.sql')).toHaveLength(8);
  });

  it('become findings where they lead out or nowhere', async () => {
    const { findings } = await loadProject(await openProjectFiles(root), root);
    expect(findings.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([
      'tools/dangling.yml:1 file-unreadable',
      'tools/deep/a.yml:1 file-unreadable',
    ]);
  });
});

describe('folders that lead out of the project', () => {
  it('are findings of the site file, and no help with names', async () => {
    const other = join(outside, 'other');
    mkdirSync(join(other, 'prompts'), { recursive: true });
    writeFileSync(join(other, 'svc-site.yml'), 'svc: 1\nproject: demo\nprofile: default\n');
    symlinkSync(outside, join(other, 'tools'));
    writeFileSync(join(other, 'prompts/a.yml'), 'tool: { name: a, source: { file: ../tools/none.sql } }');
    const { findings } = await loadProject(await openProjectFiles(other), other);
    expect(findings.map(({ file, code }) => `${file} ${code}`)).toEqual([
      'prompts/a.yml misplaced',
      'svc-site.yml file-unreadable',
    ]);
  });
});

describe('the root of a project', () => {
  // Requirements: site.place
  it('is the nearest folder with a site file, from there upwards', async () => {
    expect(await findProjectRoot(join(root, 'tools/deep'))).toBe(root);
    expect(await findProjectRoot(root)).toBe(root);
    expect(await findProjectRoot(outside)).toBeNull();
    expect(await findProjectRoot(join(root, 'not/there'))).toBe(root);
  });
});
