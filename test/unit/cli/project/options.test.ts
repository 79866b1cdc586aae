import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseParamOptions, parseUser } from '../../../../cli/project/options.ts';

function fileOf(bytes: Buffer): string {
  const root = mkdtempSync(join(tmpdir(), 'svc-options-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, 'file.json');
  writeFileSync(file, bytes);
  return file;
}

describe('a file that an option names', () => {
  it.each([
    ['UTF-8', Buffer.from('{"email": "zoë@example.com"}')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeff{"email": "zoë@example.com"}')],
    ['UTF-16', Buffer.from('\ufeff{"email": "zoë@example.com"}', 'utf16le')],
  ])('may be %s', async (_encoding, bytes) => {
    const file = fileOf(bytes);
    expect(await parseParamOptions([`user=@${file}`])).toEqual({ user: { email: 'zoë@example.com' } });
    expect(await parseUser(`@${file}`)).toMatchObject({ email: 'zoë@example.com' });
  });

  it('keeps the digits of integers beyond 2^53', async () => {
    const file = fileOf(Buffer.from('{"id": 9007199254740993, "ids": [1, 9007199254740993], "part": 0.5}'));
    expect(await parseParamOptions([`a=@${file}`])).toEqual({
      a: { id: '9007199254740993', ids: [1, '9007199254740993'], part: 0.5 },
    });
  });
});
