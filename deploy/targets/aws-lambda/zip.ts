import { type Zippable, zipSync } from 'fflate';

/** One file of a package: its path with `/` separators, and its bytes. */
export interface PackedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** How hard it is compressed; 9 without. */
  readonly level?: 4 | 9;
}

const UNIX = 3;
/** A regular file that everybody may read: Lambda runs the function as another user. */
const MODE = 0o100644;
/** The first moment a ZIP can tell; made from local parts because that is how it is written. */
const EPOCH = new Date(1980, 0, 1);

/** The files as a ZIP archive whose bytes depend on nothing but them. */
export function createZip(files: readonly PackedFile[]): Uint8Array {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const entries: Zippable = Object.fromEntries(
    sorted.map(({ path, bytes, level = 9 }) => [path, [bytes, { level }]]),
  );
  return zipSync(entries, { mtime: EPOCH, os: UNIX, attrs: MODE << 16 });
}
