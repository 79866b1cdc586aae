import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { createZip } from '../../../deploy/zip.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const files = [
  { path: 'index.mjs', bytes: bytes('export const handler = 1;') },
  { path: 'a/data.bin', bytes: Uint8Array.from({ length: 100_000 }, (_, i) => i % 251) },
];

test('the archive holds the files', () => {
  const found = unzipSync(createZip(files));
  expect(Object.keys(found)).toEqual(['a/data.bin', 'index.mjs']);
  expect(found['a/data.bin']).toEqual(files[1]?.bytes);
});

test('the bytes depend on nothing but the files: not their order, the clock or the time zone', () => {
  const script = `
    import { createZip } from ${JSON.stringify(new URL('../../../deploy/zip.ts', import.meta.url).href)};
    const zip = createZip([{ path: 'b', bytes: new Uint8Array(9) }, { path: 'a', bytes: new Uint8Array(3) }]);
    process.stdout.write(Buffer.from(zip).toString('base64'));`;
  const run = (TZ: string) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, TZ } });
  const zip = createZip([
    { path: 'a', bytes: new Uint8Array(3) },
    { path: 'b', bytes: new Uint8Array(9) },
  ]);
  for (const zone of ['Asia/Tokyo', 'America/Lima', 'UTC']) {
    expect(run(zone).toString()).toBe(Buffer.from(zip).toString('base64'));
  }
});

test('another program unpacks it, and everybody may read what comes out', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-zip-'));
  await writeFile(join(folder, 'x.zip'), createZip(files));
  const unpack =
    'import zipfile,sys,os; z=zipfile.ZipFile("x.zip"); assert z.testzip() is None; z.extractall(); print([oct(i.external_attr>>16) for i in z.infolist()])';
  const modes = execFileSync('python3', ['-c', unpack], { cwd: folder }).toString();
  expect(modes.trim()).toBe("['0o100644', '0o100644']");
  expect(await readFile(join(folder, 'index.mjs'), 'utf8')).toBe('export const handler = 1;');
  expect((await stat(join(folder, 'a/data.bin'))).size).toBe(100_000);
});
