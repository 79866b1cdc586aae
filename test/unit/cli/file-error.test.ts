import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { toFileError } from '../../../cli/file-error.ts';

const thrownBy = (work: Promise<unknown>) => work.then(() => null).catch((thrown: unknown) => thrown);

describe('what the system refuses to do with a file', () => {
  it.each([
    ['a folder', writeFile('/', ''), '/ cannot be used: it is a folder (EISDIR'],
    ['no folder', readFile('/dev/null/x'), '/dev/null/x cannot be used: a part of its path is no folder'],
    ['a long name', readFile(`/${'x'.repeat(300)}`), 'cannot be used: its name is too long (ENAMETOOLONG'],
    ['nothing', readFile('/none/x'), '/none/x cannot be used: there is no such file or folder (ENOENT'],
  ])('is told in words: %s', async (_name, work, text) => {
    expect(toFileError(await thrownBy(work))).toMatchObject({
      code: 'file_unavailable',
      message: expect.stringContaining(text),
    });
  });

  it('names the file that the caller knows of, where the system does not', async () => {
    expect(toFileError(await thrownBy(readFile('/')), '/etc')?.message).toMatch(
      /^\/etc cannot be used: it is/,
    );
  });

  it.each([new Error('x'), Object.assign(new Error('x'), { syscall: 'connect', code: 'ECONNREFUSED' }), 1])(
    'is no other fault: %s',
    (thrown) => {
      expect(toFileError(thrown)).toBeNull();
    },
  );
});
