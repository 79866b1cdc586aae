import { execFileSync } from 'node:child_process';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { createZip } from '../../../../deploy/targets/zip.ts';

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
    import { createZip } from ${JSON.stringify(new URL('../../../../deploy/targets/zip.ts', import.meta.url).href)};
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

test('every file is a plain one that everybody may read, whoever unpacks it', () => {
  const zip = Buffer.from(createZip(files));
  const entries = directory(zip).map((at) => ({
    system: zip.readUInt8(at + 5),
    mode: (zip.readUInt32LE(at + 38) >>> 16).toString(8),
  }));
  expect(entries).toEqual([
    { system: 3, mode: '100644' },
    { system: 3, mode: '100644' },
  ]);
});

/** Where each entry of the archive's directory starts: by the end record's pointer, one after the other. */
function directory(zip: Buffer): number[] {
  const end = zip.length - 22;
  const starts = [zip.readUInt32LE(end + 16)];
  while (starts.length < zip.readUInt16LE(end + 10)) {
    const last = starts.at(-1) ?? 0;
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(last + offset));
    starts.push(last + 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0));
  }
  return starts;
}
