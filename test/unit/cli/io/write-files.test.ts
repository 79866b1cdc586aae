import { execFile, execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeWhole } from '../../../../cli/io/write-files.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

it('a pipe gets the text and stays a pipe', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = execFile('cat', [pipe]);
  const read = reader.stdout?.toArray();
  expect(await writeWhole(pipe, 'a text')).toBe(true);
  expect((await read)?.join('')).toBe('a text');
  expect(statSync(pipe).isFIFO()).toBe(true);
});
