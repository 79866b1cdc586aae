import type { DatabaseFile } from './database-file.ts';
import { createFileCalls, type OnMissing, type System, type SystemCall } from './file-system.ts';
import type { Heap } from './heap.ts';
import { MEMORY } from './memory.ts';

const ERRNO_UNSUPPORTED = 52;
const RANDOM_CHUNK = 65_536;
/** The engine asks about two dozen times a statement for four random bytes, so we fetch many at once. */
const RANDOM_AHEAD = 4_096;
const FEW_BYTES = 64;
/** Memory grows by at least a fifth, so that a long query does not grow it page by page. */
const GROWTH = 1.2;

/** The answer to all other system calls: no network, no processes, no other files. */
export const UNSUPPORTED: SystemCall = () => -ERRNO_UNSUPPORTED;

/** Creates the system calls of one engine: one read-only database, clocks, randomness, and memory up to a limit. */
export function createSystem(
  heap: Heap,
  file: DatabaseFile,
  memoryMb: number,
  onMissing: OnMissing = () => {},
): System {
  return {
    ...createFileCalls(heap, file, onMissing),
    ...memoryCalls(heap, memoryMb),
    ...clockCalls,
    ...processCalls(heap),
  };
}

const clockCalls: System = {
  emscripten_date_now: () => Date.now(),
  emscripten_get_now: () => performance.now(),
  _emscripten_get_now_is_monotonic: () => 1,
};

function memoryCalls(heap: Heap, memoryMb: number): System {
  return {
    emscripten_get_heap_max: () => memoryMb * MEMORY.pagesPerMb * MEMORY.pageBytes,
    emscripten_resize_heap: (bytes = 0) => (growMemory(heap.memory, bytes >>> 0, memoryMb) ? 1 : 0),
    _emscripten_memcpy_js: (to = 0, from = 0, length = 0) => {
      heap.bytes.copyWithin(to, from, from + length);
      return 0;
    },
  };
}

function processCalls(heap: Heap): System {
  return {
    random_get: randomCall(heap),
    environ_sizes_get: (count = 0, size = 0) => {
      heap.setU32(count, 0);
      heap.setU32(size, 0);
      return 0;
    },
    environ_get: () => 0,
    // The engine's JavaScript snippets would use the network. 0 is the result of a failed request.
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

/** Gives each random byte out once. */
function randomCall(heap: Heap): SystemCall {
  const ahead = new Uint8Array(RANDOM_AHEAD);
  let used = RANDOM_AHEAD;
  return (at = 0, length = 0) => {
    if (length > FEW_BYTES) return fillRandom(heap, at, length);
    if (used + length > RANDOM_AHEAD) {
      crypto.getRandomValues(ahead);
      used = 0;
    }
    // DuckDB asks for four bytes at a time, which are written faster one by one.
    const { bytes } = heap;
    for (let to = at; to < at + length; to += 1, used += 1) {
      bytes[to] = ahead[used] ?? 0;
      ahead[used] = 0;
    }
    return 0;
  };
}

function fillRandom(heap: Heap, at: number, length: number): number {
  for (let start = at; start < at + length; start += RANDOM_CHUNK) {
    crypto.getRandomValues(heap.bytes.subarray(start, Math.min(at + length, start + RANDOM_CHUNK)));
  }
  return 0;
}

function growMemory(memory: WebAssembly.Memory, bytes: number, memoryMb: number): boolean {
  const pages = memory.buffer.byteLength / MEMORY.pageBytes;
  const needed = Math.ceil(bytes / MEMORY.pageBytes);
  const limit = memoryMb * MEMORY.pagesPerMb;
  if (needed > limit) return false;
  const wanted = Math.min(limit, Math.max(needed, Math.ceil(pages * GROWTH)));
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
