import { type Zippable, zipSync } from 'fflate';

/** One file of a package: its path with `/` separators, and its bytes. */
export interface PackedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const UNIX = 3;
/** A regular file that all users may read, because a platform may run the program as another user. */
const MODE = 0o100644;
/** Level 9 takes twice as long for the engine, and saves 2 %. */
const LEVEL = 4;
/** The earliest time in a ZIP. It is written in local time, so it is made from local parts. */
const EPOCH = new Date(1980, 0, 1);

/** Makes a ZIP archive whose bytes depend only on the files. */
export function createZip(files: readonly PackedFile[]): Uint8Array {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const entries: Zippable = Object.fromEntries(
    sorted.map(({ path, bytes }) => [path, [bytes, { level: LEVEL }]]),
  );
  return zipSync(entries, { mtime: EPOCH, os: UNIX, attrs: MODE << 16 });
}
