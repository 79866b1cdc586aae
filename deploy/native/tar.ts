const BLOCK = 512;
const FILE = '0';

/** Reads the regular files of a tar archive, by path. */
export function readTar(archive: Buffer): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    const [name, prefix] = [textIn(header, 0, 100), textIn(header, 345, 155)];
    if (name === '') break;
    const size = Number.parseInt(textIn(header, 124, 12), 8);
    const start = at + BLOCK;
    const kind = textIn(header, 156, 1) || FILE;
    if (kind === FILE) {
      files.set(prefix === '' ? name : `${prefix}/${name}`, archive.subarray(start, start + size));
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

function textIn(header: Buffer, start: number, length: number): string {
  return header
    .toString('utf8', start, start + length)
    .replace(/\0.*$/s, '')
    .trim();
}
