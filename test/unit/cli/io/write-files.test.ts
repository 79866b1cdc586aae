import { execFile, execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { writeWhole } from '../../../../cli/io/write-files.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const WRITE_FILES = pathToFileURL(resolve('cli/io/write-files.ts')).href;

it('a pipe gets the text and stays a pipe', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = execFile('cat', [pipe]);
  const read = reader.stdout?.toArray();
  expect(await writeWhole(pipe, 'a text')).toBe(true);
  expect((await read)?.join('')).toBe('a text');
  expect(statSync(pipe).isFIFO()).toBe(true);
});

it.each(['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'])('%s may be a pipe', (path) => {
  const program = `const { writeWhole } = await import(${JSON.stringify(WRITE_FILES)});
    await writeWhole(${JSON.stringify(path)}, 'a text');`;
  const command = '"$0" --input-type=module -e "$1" | cat';
  expect(execFileSync('bash', ['-c', command, process.execPath, program], { encoding: 'utf8' })).toBe(
    'a text',
  );
});
