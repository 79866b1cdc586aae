import { own } from '../../../src/json.ts';
import { MUST_WAIT } from './callbacks.ts';
import type { DatabaseFile } from './database-file.ts';
import type { Heap } from './heap.ts';

/** A function that the engine imports: numbers in, a number out. */
export type SystemCall = (...args: number[]) => number;

/** The system calls that the engine can make, by name. */
export type System = { readonly [name: string]: SystemCall };

const ERRNO = { badDescriptor: 8, invalid: 28, inputOutput: 29, noEntry: 44, readOnly: 69 } as const;
/** The error number of a failed read. */
export const ERRNO_INPUT_OUTPUT = ERRNO.inputOutput;
const CONTROL = { lastOfFlags: 3, getLock: 12, setLock: 13, setLockAndWait: 14 } as const;
const UNLOCKED = 2;
const OPEN_FOR_WRITING = 0o3;
const REGULAR_FILE_READ_ONLY = 0o100444;
/** 0, 1 and 2 are the standard streams. */
const FIRST_DESCRIPTOR = 3;
const WORD = 4;

/** One file of the engine's file system. */
interface Entry {
  readonly file: DatabaseFile;
  readonly inode: number;
}

interface OpenFile extends Entry {
  position: number;
}

/** The path of a database in the engine's file system. */
export function mountPath(file: DatabaseFile): string {
  return `/${file.name}`;
}

/** Receives the promise of bytes that a read lacks. The read answers `MUST_WAIT`. */
export type OnMissing = (missing: Promise<void>) => void;

/** Creates the system calls for files: only the database and its logs exist, read-only. */
export function createFileCalls(heap: Heap, file: DatabaseFile, onMissing: OnMissing): System {
  // The name is read at each call: a Worker is instantiated before it knows the name of its database.
  const entryAt: EntryAt = (at) => {
    const path = heap.cString(at);
    const mount = mountPath(file);
    const files = { [mount]: file, [`${mount}.wal`]: file.wal, [`${mount}.wal.checkpoint`]: file.wal?.wal };
    const found = own(files, path);
    return found && { file: found, inode: 1 + Object.keys(files).indexOf(path) };
  };
  return { ...pathCalls(heap, entryAt), ...descriptorCalls(heap, entryAt, onMissing) };
}

/** Returns the file at the path whose text lies at an address. */
type EntryAt = (at: number) => Entry | undefined;

function pathCalls(heap: Heap, entryAt: EntryAt): System {
  const stat = (at: number, buffer: number): number => {
    const entry = entryAt(at);
    return entry === undefined ? -ERRNO.noEntry : writeStat(heap, buffer, entry);
  };
  return {
    __syscall_faccessat: (_folder = 0, at = 0) => (entryAt(at) === undefined ? -ERRNO.noEntry : 0),
    __syscall_stat64: (at = 0, buffer = 0) => stat(at, buffer),
    __syscall_lstat64: (at = 0, buffer = 0) => stat(at, buffer),
    __syscall_newfstatat: (_folder = 0, at = 0, buffer = 0) => stat(at, buffer),
    __syscall_getcwd: (buffer = 0) => {
      heap.bytes.set([0x2f, 0], buffer);
      return 2;
    },
  };
}

function descriptorCalls(heap: Heap, entryAt: EntryAt, onMissing: OnMissing): System {
  const opened = new Map<number, OpenFile>();
  let next = FIRST_DESCRIPTOR;
  return {
    __syscall_openat: (_folder = 0, at = 0, flags = 0) => {
      const entry = entryAt(at);
      if (entry === undefined) return -ERRNO.noEntry;
      if ((flags & OPEN_FOR_WRITING) !== 0) return -ERRNO.readOnly;
      opened.set(next, { ...entry, position: 0 });
      next += 1;
      return next - 1;
    },
    __syscall_fcntl64: (_descriptor = 0, command = 0, args = 0) => fileControl(heap, command, args),
    fd_close: (descriptor = 0) => (opened.delete(descriptor) ? 0 : ERRNO.badDescriptor),
    fd_write: (_descriptor = 0, vectors = 0, count = 0, done = 0) => swallow(heap, { vectors, count, done }),
    ...readingCalls(heap, opened, onMissing),
  };
}

function readingCalls(heap: Heap, opened: ReadonlyMap<number, OpenFile>, onMissing: OnMissing): System {
  const withFile = (descriptor: number, use: (open: OpenFile) => void): number => {
    const open = opened.get(descriptor);
    if (open === undefined) return ERRNO.badDescriptor;
    try {
      use(open);
      return 0;
    } catch (thrown) {
      // A JavaScript error must not unwind the engine's frames.
      if (!(thrown instanceof BytesMissing)) return ERRNO.inputOutput;
      onMissing(thrown.bytes);
      return MUST_WAIT;
    }
  };
  return {
    __syscall_fstat64: (descriptor = 0, buffer = 0) =>
      0 - withFile(descriptor, (open) => writeStat(heap, buffer, open)),
    fd_pread: (descriptor = 0, vectors = 0, count = 0, low = 0, high = 0, done = 0) =>
      withFile(descriptor, ({ file }) => {
        heap.setU32(done, readVectors(heap, file, { vectors, count, position: toOffset(low, high) }));
      }),
    fd_read: (descriptor = 0, vectors = 0, count = 0, done = 0) =>
      withFile(descriptor, (open) => {
        const read = readVectors(heap, open.file, { vectors, count, position: open.position });
        open.position += read;
        heap.setU32(done, read);
      }),
    fd_seek: (descriptor = 0, low = 0, high = 0, whence = 0, result = 0) =>
      withFile(descriptor, (open) => {
        open.position = toOffset(low, high) + ([0, open.position, open.file.size()][whence] ?? 0);
        heap.view.setBigInt64(result, BigInt(open.position), true);
      }),
  };
}

/** Answers that locks are free, because this engine never writes. */
function fileControl(heap: Heap, command: number, args: number): number {
  if (command === CONTROL.getLock) heap.view.setInt16(heap.u32(args), UNLOCKED, true);
  const known: readonly number[] = [CONTROL.getLock, CONTROL.setLock, CONTROL.setLockAndWait];
  return command <= CONTROL.lastOfFlags || known.includes(command) ? 0 : -ERRNO.invalid;
}

/** Drops the output to the standard streams. */
function swallow(
  heap: Heap,
  { vectors, count, done }: { readonly vectors: number; readonly count: number; readonly done: number },
): number {
  let length = 0;
  for (let index = 0; index < count; index += 1) length += heap.u32(vectors + index * 2 * WORD + WORD);
  heap.setU32(done, length);
  return 0;
}

interface Vectors {
  readonly vectors: number;
  readonly count: number;
  readonly position: number;
}

/** A read lacks bytes that must be fetched first. */
class BytesMissing extends Error {
  readonly bytes: Promise<void>;

  constructor(bytes: Promise<void>) {
    super('bytes of the file are not here yet');
    this.bytes = bytes;
  }
}

function readVectors(heap: Heap, file: DatabaseFile, { vectors, count, position }: Vectors): number {
  if (file.want !== undefined) {
    const lengths = Array.from({ length: count }, (_, index) => heap.u32(vectors + index * 2 * WORD + WORD));
    const bytes = file.want(
      position,
      lengths.reduce((sum, length) => sum + length, 0),
    );
    if (bytes !== null) throw new BytesMissing(bytes);
  }
  let done = 0;
  for (let index = 0; index < count; index += 1) {
    const at = heap.u32(vectors + index * 2 * WORD);
    const length = heap.u32(vectors + index * 2 * WORD + WORD);
    const read = file.read(heap.bytes.subarray(at, at + length), position + done);
    done += read;
    if (read < length) break;
  }
  return done;
}

/** Writes the C library's `struct stat`, 96 bytes. The engine reads the kind, the size and the inode. */
function writeStat(heap: Heap, at: number, { file, inode }: Entry): number {
  heap.bytes.fill(0, at, at + 96);
  heap.setU32(at + 4, REGULAR_FILE_READ_ONLY);
  heap.setU32(at + 8, 1);
  heap.view.setBigInt64(at + 24, BigInt(file.size()), true);
  heap.setU32(at + 32, 4096);
  heap.view.setBigInt64(at + 88, BigInt(inode), true);
  return 0;
}

function toOffset(low: number, high: number): number {
  return (low >>> 0) + high * 2 ** 32;
}
