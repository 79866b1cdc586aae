import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../../../adapters/node/make-folder.ts';
import { changeClientFile } from '../../../../cli/connect/client-file.ts';
import { makeFolders, writeNew, writeText, writeWhole } from '../../../../cli/io/write-files.ts';
import { replaceFolder } from '../../../../deploy/replace-folder.ts';

describe('makeFolder', () => {
  it('returns the topmost folder that it made', () => {
    const root = mkdtempSync(join(tmpdir(), 'svc-'));
    expect(makeFolder(join(root, 'a/b/c'))).toBe(join(root, 'a'));
    expect(existsSync(join(root, 'a/b/c'))).toBe(true);
    expect(makeFolder(join(root, 'a/d'))).toBe(join(root, 'a/d'));
    expect(makeFolder(join(root, 'a/b'))).toBeUndefined();
  });

  it('throws for a file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'svc-')), 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow('EEXIST');
    expect(() => makeFolder(join(file, 'a'))).toThrow('ENOTDIR');
  });
});

/** Node's own recursive mkdir never returns here. */
const NO_FOLDERS = '/proc/self/none';

describe.runIf(process.platform === 'linux')('below a folder that takes no new ones', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['makeFolders', () => makeFolders(NO_FOLDERS, ['a'])],
    ['writeNew', () => writeNew(NO_FOLDERS, { 'a/b': '' })],
    ['writeText', () => writeText(`${NO_FOLDERS}/a`, '')],
    ['writeWhole', () => writeWhole(`${NO_FOLDERS}/a`, '')],
    [
      'changeClientFile',
      () => changeClientFile(`${NO_FOLDERS}/a`, () => ({ action: 'none', text: '' }) as never),
    ],
    ['replaceFolder', () => replaceFolder(`${NO_FOLDERS}/a`, async () => null)],
  ])('%s throws at once', async (_name, write) => {
    await expect(write()).rejects.toThrow('ENOENT');
  });
});
