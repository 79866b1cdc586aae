import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../../../adapters/node/make-folder.ts';
import { toFileError } from '../../../../cli/io/file-error.ts';

const thrownBy = (work: () => Promise<unknown>) =>
  work().then(
    () => null,
    (thrown: unknown) => thrown,
  );

describe('what the system refuses to do with a file', () => {
  it.each([
    ['a folder', () => writeFile('/', ''), '/ cannot be used: it is a folder (EISDIR'],
    [
      'no folder',
      () => readFile('/dev/null/x'),
      '/dev/null/x cannot be used: a part of its path is not a folder',
    ],
    [
      'a long name',
      () => readFile(`/${'x'.repeat(300)}`),
      'cannot be used: its name is too long (ENAMETOOLONG',
    ],
    [
      'a file where a folder is needed',
      async () => makeFolder('/dev/null'),
      '/dev/null cannot be used: it is a file, and a folder is needed there (EEXIST',
    ],
    ['nothing', () => readFile('/none/x'), '/none/x cannot be used: there is no such file or folder (ENOENT'],
  ])('is told in words: %s', async (_name, work, text) => {
    expect(toFileError(await thrownBy(work))).toMatchObject({
      code: 'file_unavailable',
      message: expect.stringContaining(text),
    });
  });

  it('names the file that the caller knows of, where the system does not', async () => {
    expect(toFileError(await thrownBy(() => readFile('/')), '/etc')?.message).toMatch(
      /^\/etc cannot be used: it is/,
    );
  });

  it('says what to do, and names no file that is there for a moment only', async () => {
    const fresh = '/none/lock.json.20ba7c50-b5c8-445d-9c79-d29dd425bdaa';
    expect(toFileError(await thrownBy(() => writeFile(fresh, '')))?.message).toBe(
      `/none/lock.json cannot be used: there is no such file or folder (ENOENT: no such file or directory, open '/none/lock.json').
Correct the path, or create what is missing.`,
    );
  });

  it.each([new Error('x'), Object.assign(new Error('x'), { syscall: 'connect', code: 'ECONNREFUSED' }), 1])(
    'is no other fault: %s',
    (thrown) => {
      expect(toFileError(thrown)).toBeNull();
    },
  );
});
