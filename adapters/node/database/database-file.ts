import { open, stat } from 'node:fs/promises';
import { SvcError } from '../../../src/errors.ts';
import { quoteText } from '../../../src/sql/quote.ts';

/** The DuckDB of both engines; a test compares it with theirs. */
export const ENGINE_VERSION = '1.5.5';

/** The storage versions that this DuckDB reads. */
const OLDEST_READ = 64;
const NEWEST_READ = 68;

/** The main header and the two database headers; every DuckDB file has them. */
const HEADER_BYTES = 3 * 4096;

const ENCRYPTED = 1n;
const NO_BLOCK = 0xff_ff_ff_ff_ff_ff_ff_ffn;

/** The contents of a path, according to the first bytes of the file. */
export type FileContents =
  | { readonly kind: 'missing' | 'empty' | 'truncated' }
  | { readonly kind: 'other'; readonly what: string }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | DuckDbFile;

/** The facts in the main header of a DuckDB file. */
export interface DuckDbFile {
  readonly kind: 'duckdb';
  readonly storage: number;
  /** The DuckDB that wrote the file, such as `2.0.0`; null if the header does not name it. */
  readonly version: string | null;
  readonly encrypted: boolean;
}

/** Reads the header of a file, without an engine. A pipe or a device is never opened, so nothing can block. */
export async function inspectFile(path: string): Promise<FileContents> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { kind: 'other', what: 'a folder' };
    if (!found.isFile()) return { kind: 'other', what: found.isFIFO() ? 'a pipe' : 'a device or a socket' };
    if (found.size === 0) return { kind: 'empty' };
    return await readFile(path);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? { kind: 'missing' }
      : { kind: 'unreadable', reason: message };
  }
}

/**
 * Checks that this DuckDB can read a file. A missing file passes.
 *
 * @throws database_unavailable, with the versions and the statements that convert the file.
 */
export async function enforceReadableFile(path: string): Promise<void> {
  const text = refusalOf(path, await inspectFile(path));
  if (text !== null) throw new SvcError('database_unavailable', text);
}

/** Explains why a file cannot be opened and how to fix it. Returns null for a readable or a missing file. */
export function refusalOf(path: string, file: FileContents): string | null {
  switch (file.kind) {
    case 'missing':
      return null;
    case 'unreadable':
      return `The database ${path} cannot be read: ${file.reason}\nGive this user the right to read it, or correct \`database.path\` of the profile.`;
    case 'empty':
      return `${path} is an empty file, not a DuckDB database.\nDelete it, so that it is created anew, or correct \`database.path\` of the profile.`;
    case 'truncated':
      return `${path} is truncated: a part of this DuckDB database is missing.\nCopy it again from its source, or restore a backup.`;
    case 'other':
      return `${path} is ${file.what}, not a DuckDB database.\nName a DuckDB file with \`database.path\` of the profile or with SVC_DATABASE_PATH.`;
    case 'duckdb':
      return duckDbRefusal(path, file);
  }
}

/** The file that a database is converted to unless another one is named. */
export function convertedName(path: string): string {
  return `${path.replace(/\.[^./\\]*$/, '')}-converted.db`;
}

/** Whether a DuckDB on this machine may be able to copy the file: one without a key, and not older than 1.0 reads. */
export function isConvertible({ storage, encrypted }: DuckDbFile): boolean {
  return storage >= OLDEST_READ && !encrypted;
}

/** Statements for a DuckDB that opens the file: they copy it into a new file that both engines read. */
export function conversionOf(path: string, { encrypted }: Pick<DuckDbFile, 'encrypted'>): string {
  return `ATTACH ${quoteText(path)} AS old (${encrypted ? "ENCRYPTION_KEY '...', " : ''}READ_ONLY);
ATTACH ${quoteText(convertedName(path))} AS new (STORAGE_VERSION 'v1.0.0');
COPY FROM DATABASE old TO new;`;
}

function duckDbRefusal(path: string, file: DuckDbFile): string | null {
  const { storage, version, encrypted } = file;
  const writer = version === null ? 'another version of DuckDB' : `DuckDB ${version}`;
  const read = `svc has DuckDB ${ENGINE_VERSION}, which reads storage versions ${OLDEST_READ} to ${NEWEST_READ}.`;
  const written = `The database ${path} was written by ${writer} in storage version ${storage}. ${read}`;
  if (storage < OLDEST_READ) {
    return `${written}
Export it with the DuckDB that wrote it (EXPORT DATABASE 'folder'), and import it with DuckDB 1.0 or newer (IMPORT DATABASE 'folder').`;
  }
  if (storage > NEWEST_READ) {
    return `${written}
Convert it with \`svc convert ${path}\`, or with these statements in ${version === null ? 'the DuckDB that wrote it' : `${writer} or newer`}:\n${conversionOf(path, file)}`;
  }
  if (!encrypted) return null;
  return `The database ${path} is encrypted (${writer}), and svc has no key for it.
Make a copy that is not encrypted with these statements in ${writer} or newer:\n${conversionOf(path, file)}`;
}

/** The parts of a DuckDB file: checksum, "DUCK" at 8, storage version at 12, flags at 20, the writer's version at 52. */
function readHeader(bytes: Buffer, size: number): FileContents {
  if (bytes.toString('latin1', 8, 12) !== 'DUCK') return { kind: 'other', what: formatOf(bytes) };
  if (size < HEADER_BYTES) return { kind: 'truncated' };
  const encrypted = (bytes.readBigUInt64LE(20) & ENCRYPTED) !== 0n;
  const storage = Number(bytes.readBigUInt64LE(12));
  if (!encrypted && storage >= OLDEST_READ && storage <= NEWEST_READ && lacksBlocks(bytes, size)) {
    return { kind: 'truncated' };
  }
  const version = /^v(\d[\w.-]*)/.exec(bytes.toString('latin1', 52, 84))?.[1] ?? null;
  return { kind: 'duckdb', storage, version, encrypted };
}

/**
 * Whether the file ends inside a block, or before the block with the list of tables. A file with fewer blocks than its
 * header says can be whole, because DuckDB cuts free blocks off after it has written their number.
 */
function lacksBlocks(bytes: Buffer, size: number): boolean {
  const newer = bytes.readBigUInt64LE(4096 + 8) > bytes.readBigUInt64LE(8192 + 8) ? 4096 : 8192;
  const root = bytes.readBigUInt64LE(newer + 16);
  const blockBytes = Number(bytes.readBigUInt64LE(newer + 40)) || 262_144;
  const blocks = Number(bytes.readBigUInt64LE(newer + 32));
  const stored = (size - HEADER_BYTES) / blockBytes;
  if (stored < blocks && !Number.isInteger(stored)) return true;
  if (root === NO_BLOCK) return false;
  const block = Number(root & 0x00_ff_ff_ff_ff_ff_ff_ffn);
  return block >= stored;
}

/** The first bytes of other formats, each with the name of the format. */
const FORMATS: readonly (readonly [string, string])[] = [
  ['SQLite format 3', 'a SQLite database'],
  ['PAR1', 'a Parquet file'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x1f\x8b', 'a gzip file'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard file'],
  ['version https://git-lfs', 'a Git LFS pointer, whose file was not fetched'],
];

function formatOf(bytes: Buffer): string {
  const text = bytes.toString('latin1', 0, 512);
  const known = FORMATS.find(([start]) => text.startsWith(start));
  if (known !== undefined) return known[1];
  return text.includes('\0') ? 'a file of another format' : 'a text file';
}

/** The size is taken after the header, because another process may be making the file longer. */
async function readFile(path: string): Promise<FileContents> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return readHeader(buffer.subarray(0, bytesRead), (await file.stat()).size);
  } finally {
    await file.close();
  }
}
