import { describe, expect, it, vi } from 'vitest';
import { bytesFile } from '../../../../../adapters/duckdb-wasm/engine/database-file.ts';
import type { System } from '../../../../../adapters/duckdb-wasm/engine/file-system.ts';
import { Heap, toCString } from '../../../../../adapters/duckdb-wasm/engine/heap.ts';
import { createSystem } from '../../../../../adapters/duckdb-wasm/engine/system.ts';

const ERRNO = { badDescriptor: 8, inputOutput: 29, noEntry: 44, readOnly: 69 };
const PATH = 64;
const BUFFER = 1024;
const VECTORS = 512;
const DONE = 480;

const content = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);

function createWorld(file = bytesFile(content, 'a.duckdb')): {
  heap: Heap;
  call(name: keyof System, ...args: number[]): number;
  open(path: string, flags?: number): number;
} {
  const heap = new Heap(new WebAssembly.Memory({ initial: 1, maximum: 32 }));
  const system = createSystem(heap, file, 2);
  const call = (name: keyof System, ...args: number[]): number => {
    const answer = system[name];
    if (answer === undefined) throw new Error(`${name} is not answered`);
    return answer(...args);
  };
  const open = (path: string, flags = 0): number => {
    heap.bytes.set(toCString(path), PATH);
    return call('__syscall_openat', -100, PATH, flags);
  };
  return { heap, call, open };
}

describe('the engine’s file system', () => {
  it('has the database and nothing else', () => {
    const { open } = createWorld();
    expect(open('/a.duckdb')).toBeGreaterThan(2);
    for (const path of [
      '/',
      '',
      '/etc/passwd',
      'a.duckdb',
      '/a.duckdb.wal',
      '/../a.duckdb',
      '/A.duckdb',
      '/a.duckdb/',
    ]) {
      expect(open(path)).toBe(-ERRNO.noEntry);
    }
  });

  it('has the log where there is one', () => {
    const wal = bytesFile(Uint8Array.of(1, 2, 3), 'a.duckdb.wal');
    const { open, call, heap } = createWorld({ ...bytesFile(content, 'a.duckdb'), wal });
    const descriptor = open('/a.duckdb.wal');
    expect(call('__syscall_fstat64', descriptor, BUFFER)).toBe(0);
    expect(heap.view.getBigInt64(BUFFER + 24, true)).toBe(3n);
  });

  it('opens nothing for writing', () => {
    const { open } = createWorld();
    for (const flags of [0o1, 0o2, 0o1101, 0o102]) expect(open('/a.duckdb', flags)).toBe(-ERRNO.readOnly);
  });

  it('reads at a position, from the start on, and up to the end', () => {
    const { open, call, heap } = createWorld();
    const descriptor = open('/a.duckdb');
    heap.words(VECTORS, [BUFFER, 10, BUFFER + 100, 500]);
    expect(call('fd_pread', descriptor, VECTORS, 2, 600, 0, DONE)).toBe(0);
    expect(heap.u32(DONE)).toBe(400);
    expect(heap.copy(BUFFER, 10)).toEqual(content.slice(600, 610));
    expect(heap.copy(BUFFER + 100, 390)).toEqual(content.slice(610));
    for (const start of [0, 10]) {
      expect(call('fd_read', descriptor, VECTORS, 1, DONE)).toBe(0);
      expect(heap.copy(BUFFER, 10)).toEqual(content.slice(start, start + 10));
    }
    expect(call('fd_seek', descriptor, -5, -1, 2, DONE)).toBe(0);
    expect(heap.view.getBigInt64(DONE, true)).toBe(995n);
    call('fd_read', descriptor, VECTORS, 1, DONE);
    expect(heap.u32(DONE)).toBe(5);
  });

  it('answers for a closed or foreign descriptor with an error number', () => {
    const { open, call } = createWorld();
    const descriptor = open('/a.duckdb');
    expect(call('fd_close', descriptor)).toBe(0);
    expect(call('fd_close', descriptor)).toBe(ERRNO.badDescriptor);
    expect(call('fd_read', 0, VECTORS, 1, DONE)).toBe(ERRNO.badDescriptor);
    expect(call('__syscall_fstat64', descriptor, BUFFER)).toBe(-ERRNO.badDescriptor);
  });

  it('turns an error of the disk into an error number', () => {
    const read = (): number => {
      throw new Error('the disk is gone');
    };
    const { open, call, heap } = createWorld({ ...bytesFile(content, 'a.duckdb'), read });
    heap.words(VECTORS, [BUFFER, 10]);
    expect(call('fd_pread', open('/a.duckdb'), VECTORS, 1, 0, 0, DONE)).toBe(ERRNO.inputOutput);
  });
});

describe('the engine’s memory', () => {
  it('grows by a fifth or to what is needed, up to its limit and no further', () => {
    const { call, heap } = createWorld();
    const page = 65_536;
    expect(call('emscripten_resize_heap', page + 1)).toBe(1);
    expect(heap.bytes.length).toBe(2 * page);
    expect(call('emscripten_resize_heap', 20 * page)).toBe(1);
    expect(call('emscripten_resize_heap', 21 * page)).toBe(1);
    expect(heap.bytes.length).toBe(24 * page);
    expect(call('emscripten_resize_heap', 33 * page)).toBe(0);
    expect(call('emscripten_resize_heap', -1)).toBe(0);
    expect(heap.bytes.length).toBe(24 * page);
    expect(call('emscripten_resize_heap', 32 * page)).toBe(1);
  });

  it('is filled with randomness where that is asked for, however much', () => {
    const { call, heap } = createWorld();
    call('emscripten_resize_heap', 4 * 65_536);
    call('random_get', 100, 200_000);
    expect(heap.bytes.subarray(0, 100).every((byte) => byte === 0)).toBe(true);
    expect(new Set(heap.bytes.subarray(100, 200_100)).size).toBe(256);
    expect(heap.bytes.subarray(200_100, 200_200).every((byte) => byte === 0)).toBe(true);
  });

  // Requirements: wasm.randomness
  it('gets each random byte once, of which many are fetched together', () => {
    const [one, other] = [createWorld(), createWorld()];
    const draw = ({ call, heap }: typeof one): string => {
      expect(call('random_get', BUFFER, 16)).toBe(0);
      expect(heap.bytes.subarray(BUFFER + 16, BUFFER + 32).every((byte) => byte === 0)).toBe(true);
      return heap.bytes.subarray(BUFFER, BUFFER + 16).join();
    };
    const fetched = vi.spyOn(crypto, 'getRandomValues');
    const draws = Array.from({ length: 1_000 }, () => [draw(one), draw(other)]).flat();
    expect(new Set(draws).size).toBe(2_000);
    expect(fetched.mock.calls.length).toBeLessThan(20);
    fetched.mockRestore();
  });
});
