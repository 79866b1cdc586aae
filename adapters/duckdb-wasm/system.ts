import type { DatabaseFile } from './file.ts';
import type { Heap } from './heap.ts';
import { MEMORY } from './layout.ts';

/** What the engine imports: numbers in, a number (an errno, mostly) out. */
export type SystemCall = (...args: number[]) => number;

/** What a process would ask an operating system for; all that the engine gets of the world. */
export type System = { readonly [name: string]: SystemCall };

const ERRNO = { badDescriptor: 8, invalid: 28, noEntry: 44, unsupported: 52, readOnly: 69 } as const;
const LOCKS = { get: 12, set: 13, setAndWait: 14 } as const;
const UNLOCKED = 2;
const OPEN_FOR_WRITING = 0o3;
const REGULAR_FILE_READ_ONLY = 0o100444;
const FIRST_DESCRIPTOR = 3;
const RANDOM_CHUNK = 65_536;

/** Everything that is not answered: no network, no processes, no other files. */
export const UNSUPPORTED: SystemCall = () => -ERRNO.unsupported;

/** The system of one engine: one read-only file, the time, randomness and memory up to a limit. */
export function createSystem(heap: Heap, file: DatabaseFile, memoryMb: number): System {
  return { ...fileCalls(heap, file), ...descriptorCalls(heap, file), ...processCalls(heap, memoryMb) };
}

/** Where the engine finds the file. */
export function mountPath(file: DatabaseFile): string {
  return `/${file.name}`;
}

function fileCalls(heap: Heap, file: DatabaseFile): System {
  const path = mountPath(file);
  const known = (at: number): boolean => heap.cString(at) === path;
  const stat = (at: number, buffer: number): number =>
    known(at) ? writeStat(heap, buffer, file.size()) : -ERRNO.noEntry;
  return {
    __syscall_faccessat: (_folder = 0, at = 0) => (known(at) ? 0 : -ERRNO.noEntry),
    __syscall_stat64: (at = 0, buffer = 0) => stat(at, buffer),
    __syscall_lstat64: (at = 0, buffer = 0) => stat(at, buffer),
    __syscall_newfstatat: (_folder = 0, at = 0, buffer = 0) => stat(at, buffer),
    __syscall_getcwd: (buffer = 0) => {
      heap.bytes.set([0x2f, 0], buffer);
      return 2;
    },
  };
}

function descriptorCalls(heap: Heap, file: DatabaseFile): System {
  const positions = new Map<number, number>();
  const path = mountPath(file);
  let next = FIRST_DESCRIPTOR;
  const open = (at: number, flags: number): number => {
    if (heap.cString(at) !== path) return -ERRNO.noEntry;
    if ((flags & OPEN_FOR_WRITING) !== 0) return -ERRNO.readOnly;
    positions.set(next, 0);
    next += 1;
    return next - 1;
  };
  return {
    __syscall_openat: (_folder = 0, at = 0, flags = 0) => open(at, flags),
    __syscall_fstat64: (descriptor = 0, buffer = 0) =>
      positions.has(descriptor) ? writeStat(heap, buffer, file.size()) : -ERRNO.badDescriptor,
    __syscall_fcntl64: (_descriptor = 0, command = 0, args = 0) => fileControl(heap, command, args),
    fd_close: (descriptor = 0) => (positions.delete(descriptor) ? 0 : ERRNO.badDescriptor),
    fd_pread: (descriptor = 0, vectors = 0, count = 0, low = 0, high = 0, done = 0) => {
      if (!positions.has(descriptor)) return ERRNO.badDescriptor;
      heap.setU32(done, readVectors(heap, file, { vectors, count, position: toOffset(low, high) }));
      return 0;
    },
    fd_read: (descriptor = 0, vectors = 0, count = 0, done = 0) => {
      const position = positions.get(descriptor);
      if (position === undefined) return ERRNO.badDescriptor;
      const read = readVectors(heap, file, { vectors, count, position });
      positions.set(descriptor, position + read);
      heap.setU32(done, read);
      return 0;
    },
    fd_seek: (descriptor = 0, low = 0, high = 0, whence = 0, result = 0) => {
      const position = positions.get(descriptor);
      if (position === undefined) return ERRNO.badDescriptor;
      const moved = toOffset(low, high) + ([0, position, file.size()][whence] ?? 0);
      positions.set(descriptor, moved);
      heap.view.setBigInt64(result, BigInt(moved), true);
      return 0;
    },
    fd_write: (_descriptor = 0, vectors = 0, count = 0, done = 0) => {
      const lengths = Array.from({ length: count }, (_, index) => heap.u32(vectors + index * 8 + 4));
      heap.setU32(
        done,
        lengths.reduce((sum, length) => sum + length, 0),
      );
      return 0;
    },
  };
}

function processCalls(heap: Heap, memoryMb: number): System {
  return {
    random_get: (at = 0, length = 0) => {
      for (let start = at; start < at + length; start += RANDOM_CHUNK) {
        crypto.getRandomValues(heap.bytes.subarray(start, Math.min(at + length, start + RANDOM_CHUNK)));
      }
      return 0;
    },
    emscripten_date_now: () => Date.now(),
    emscripten_get_now: () => performance.now(),
    _emscripten_get_now_is_monotonic: () => 1,
    emscripten_get_heap_max: () => memoryMb * MEMORY.pagesPerMb * 65_536,
    emscripten_resize_heap: (bytes = 0) => (growMemory(heap.memory, bytes >>> 0, memoryMb) ? 1 : 0),
    _emscripten_memcpy_js: (to = 0, from = 0, length = 0) => {
      heap.bytes.copyWithin(to, from, from + length);
      return 0;
    },
    environ_sizes_get: (count = 0, size = 0) => {
      heap.setU32(count, 0);
      heap.setU32(size, 0);
      return 0;
    },
    environ_get: () => 0,
    // The engine's own scripts reach for the network here; 0 is what a failed request gives.
    emscripten_asm_const_int: () => 0,
    emscripten_asm_const_ptr: () => 0,
    _abort_js: stop,
    exit: stop,
    proc_exit: stop,
  };
}

function stop(): never {
  throw new WebAssembly.RuntimeError('the engine stopped itself');
}

/** Grows by a fifth at least, so that a long query does not grow page by page. */
function growMemory(memory: WebAssembly.Memory, bytes: number, memoryMb: number): boolean {
  const pages = memory.buffer.byteLength / 65_536;
  const needed = Math.ceil(bytes / 65_536);
  const limit = memoryMb * MEMORY.pagesPerMb;
  if (needed > limit) return false;
  const wanted = Math.min(limit, Math.max(needed, Math.ceil(pages * 1.2)));
  return [wanted, needed].some((size) => canGrow(memory, size - pages));
}

function canGrow(memory: WebAssembly.Memory, pages: number): boolean {
  try {
    memory.grow(pages);
    return true;
  } catch {
    return false;
  }
}

function fileControl(heap: Heap, command: number, args: number): number {
  if (command === LOCKS.get) heap.view.setInt16(heap.u32(args), UNLOCKED, true);
  const known =
    command <= 3 || command === LOCKS.get || command === LOCKS.set || command === LOCKS.setAndWait;
  return known ? 0 : -ERRNO.invalid;
}

interface Vectors {
  readonly vectors: number;
  readonly count: number;
  readonly position: number;
}

function readVectors(heap: Heap, file: DatabaseFile, { vectors, count, position }: Vectors): number {
  let done = 0;
  for (let index = 0; index < count; index += 1) {
    const at = heap.u32(vectors + index * 8);
    const length = heap.u32(vectors + index * 8 + 4);
    const read = file.read(heap.bytes.subarray(at, at + length), position + done);
    done += read;
    if (read < length) break;
  }
  return done;
}

/** The C library's `struct stat`: 96 bytes, of which the engine looks at the kind, the size and the inode. */
function writeStat(heap: Heap, at: number, size: number): number {
  heap.bytes.fill(0, at, at + 96);
  heap.setU32(at + 4, REGULAR_FILE_READ_ONLY);
  heap.setU32(at + 8, 1);
  heap.view.setBigInt64(at + 24, BigInt(size), true);
  heap.setU32(at + 32, 4096);
  heap.view.setBigInt64(at + 88, 1n, true);
  return 0;
}

function toOffset(low: number, high: number): number {
  return (low >>> 0) + high * 2 ** 32;
}
