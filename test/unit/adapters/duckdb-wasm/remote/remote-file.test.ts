import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../../../../adapters/duckdb-wasm/remote/blocks.ts';
import { createReadAhead } from '../../../../../adapters/duckdb-wasm/remote/read-ahead.ts';
import {
  RemoteFile,
  type RemoteFileOptions,
} from '../../../../../adapters/duckdb-wasm/remote/remote-file.ts';
import { failureOf } from '../fixture.ts';
import { digestsOf, FakeStore } from './source.ts';

const HEADERS = 12_288;
const BLOCK = 262_144;
/** Headers, nine whole blocks and a part of one. */
const BYTES = new Uint8Array(randomBytes(HEADERS + 9 * BLOCK + 1000));
const DIGESTS = digestsOf(BYTES);

function open(chosen: Partial<RemoteFileOptions> = {}): { store: FakeStore; file: RemoteFile } {
  const store = new FakeStore(BYTES);
  return { store, file: new RemoteFile({ name: 'data.duckdb', source: store, digests: DIGESTS, ...chosen }) };
}

/** Reads as the engine does: asks for the bytes until they are here. */
async function readOf(file: RemoteFile, position: number, length: number): Promise<Uint8Array> {
  for (let wait = file.want(position, length); wait !== null; wait = file.want(position, length)) await wait;
  const target = new Uint8Array(length);
  return target.subarray(0, file.read(target, position));
}

const startOf = (block: number): number => (block === 0 ? 0 : HEADERS + (block - 1) * BLOCK);
const expected = (position: number, length: number) => BYTES.slice(position, position + length);

describe('the blocks of a remote database', () => {
  it('are aligned as DuckDB’s own blocks are', () => {
    const layout = layoutOf(BYTES.length);
    expect(layout.count).toBe(11);
    expect(layout.range(0)).toEqual({ start: 0, end: HEADERS });
    expect(layout.range(1)).toEqual({ start: HEADERS, end: HEADERS + BLOCK });
    expect(layout.range(10)).toEqual({ start: startOf(10), end: BYTES.length });
    expect(layout.holding(HEADERS - 1, 2)).toEqual([0, 1]);
    expect(layout.holding(BYTES.length, 10)).toEqual([]);
    expect(layoutOf(0).count).toBe(0);
  });

  it('come by one range each, and once', async () => {
    const { store, file } = open();
    expect(await readOf(file, startOf(3), BLOCK)).toEqual(expected(startOf(3), BLOCK));
    expect(await readOf(file, startOf(3) + 100, 50)).toEqual(expected(startOf(3) + 100, 50));
    expect(store.requests.map(({ offset, length }) => [offset, length])).toEqual([[startOf(3), BLOCK]]);
    expect(file.fetched).toEqual({ ranges: 1, bytes: BLOCK });
  });

  it('give the bytes at every position, across blocks and up to the end', async () => {
    const { file } = open({ cacheBytes: 4 * BLOCK });
    for (let turn = 0; turn < 200; turn += 1) {
      const position = Math.floor(Math.random() * BYTES.length);
      const length = Math.floor(Math.random() * 2 * BLOCK);
      expect(Buffer.compare(await readOf(file, position, length), expected(position, length))).toBe(0);
      expect(file.keptBytes).toBeLessThanOrEqual(4 * BLOCK);
    }
  });

  it('stay until others were used later', async () => {
    const { store, file } = open({ cacheBytes: 2 * BLOCK });
    for (const block of [1, 2, 1, 3]) await readOf(file, startOf(block), BLOCK);
    store.requests.length = 0;
    expect(file.want(startOf(1), BLOCK)).toBeNull();
    await readOf(file, startOf(2), BLOCK);
    expect(store.requests).toHaveLength(1);
  });

  it('are asked for once by readers at the same time', async () => {
    const { store, file } = open();
    await Promise.all(Array.from({ length: 20 }, () => readOf(file, startOf(2), 100)));
    expect(store.requests).toHaveLength(1);
  });

  it('come by at most five requests at a time', async () => {
    const { store, file } = open();
    store.answer = async (bytes) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return bytes;
    };
    expect(await readOf(file, 0, BYTES.length)).toEqual(BYTES);
    expect(store.mostInFlight).toBe(5);
    expect(store.requests).toHaveLength(11);
  });
});

describe('a store that fails', () => {
  it.each([
    ['fails', async () => Promise.reject(new Error('connection reset'))],
    ['cuts a range off', async (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, 1000)],
    ['flips a bit', async (bytes: Uint8Array<ArrayBuffer>) => flipped(bytes)],
    ['never answers', () => new Promise<never>(() => {})],
  ])('and %s twice is asked a third time', async (_, wrong) => {
    const { store, file } = open({ patienceMs: 500 });
    store.answer = (bytes, { number }) => (number <= 2 ? wrong(bytes) : Promise.resolve(bytes));
    expect(await readOf(file, startOf(4), BLOCK)).toEqual(expected(startOf(4), BLOCK));
    expect(store.requests).toHaveLength(3);
  });

  it.each([
    ['fails', 'connection reset', async () => Promise.reject(new Error('connection reset'))],
    ['cuts ranges off', 'has 1000', async (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, 1000)],
    ['flips bits', 'block 4 has other bytes', async (bytes: Uint8Array<ArrayBuffer>) => flipped(bytes)],
    ['never answers', 'no answer within 20 ms', () => new Promise<never>(() => {})],
  ])('and always %s gives an error that says so, and later the bytes', async (_, reason, wrong) => {
    const { store, file } = open({ patienceMs: 20 });
    store.answer = wrong;
    const failure = await failureOf(readOf(file, startOf(4), BLOCK));
    expect(failure.code).toBe('database_unavailable');
    expect(failure.message).toContain('shop.duckdb could not be read in 3 attempts');
    expect(failure.message).toContain(reason);
    expect(store.requests).toHaveLength(3);
    store.answer = async (bytes) => bytes;
    expect(await readOf(file, startOf(4), BLOCK)).toEqual(expected(startOf(4), BLOCK));
  });

  it('and loses five requests for ever still answers the next ones', async () => {
    const { store, file } = open({ patienceMs: 500 });
    store.answer = (bytes, { number }) => (number <= 5 ? new Promise(() => {}) : Promise.resolve(bytes));
    expect(await readOf(file, 0, BYTES.length)).toEqual(BYTES);
  });

  it('keeps nothing that was read when an attempt had been given up', async () => {
    const { store, file } = open({ patienceMs: 500 });
    const late = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
    store.answer = (bytes, { number }) => (number === 1 ? late.promise : Promise.resolve(bytes));
    await readOf(file, startOf(1), BLOCK);
    late.resolve(new Uint8Array(BLOCK));
    await late.promise;
    expect(await readOf(file, startOf(1), BLOCK)).toEqual(expected(startOf(1), BLOCK));
  });
});

// Requirements: large.versions
describe('an object that is replaced', () => {
  it('fails every later read at once, without another attempt and without old blocks', async () => {
    const { store, file } = open();
    await readOf(file, startOf(1), BLOCK);
    store.replaced = true;
    const failure = await failureOf(readOf(file, startOf(2), BLOCK));
    expect(failure.message).toContain('was replaced while it was open');
    expect((await failureOf(readOf(file, startOf(1), BLOCK))).message).toBe(failure.message);
    expect(store.requests).toHaveLength(2);
  });
});

describe('reading ahead', () => {
  const columns = [
    [1, 3, 5, 7, 9],
    [2, 4, 6, 8],
  ];

  it('follows a scan of a column', async () => {
    const { store, file } = open({ readAhead: createReadAhead(columns) });
    await readOf(file, startOf(1), BLOCK);
    expect(store.requests).toHaveLength(1);
    await readOf(file, startOf(3), BLOCK);
    expect(store.requests).toHaveLength(2);
    await readOf(file, startOf(5), BLOCK);
    expect(store.requests).toHaveLength(5);
    await Promise.all([7, 9].map((block) => readOf(file, startOf(block), BLOCK)));
    expect(store.requests.map(({ offset }) => offset)).toEqual([1, 3, 5, 7, 9].map(startOf));
  });

  it('leaves single reads alone', async () => {
    const { store, file } = open({ readAhead: createReadAhead(columns) });
    for (const block of [7, 2, 1, 8]) await readOf(file, startOf(block), BLOCK);
    expect(store.requests).toHaveLength(4);
  });

  it('keeps a failure for the read that needs the block', async () => {
    const { store, file } = open({ readAhead: createReadAhead(columns) });
    store.answer = async (bytes, { offset }) => {
      if (offset === startOf(5) && store.requests.length < 6) throw new Error('connection reset');
      return bytes;
    };
    for (const block of [1, 3, 5, 7]) {
      expect(await readOf(file, startOf(block), BLOCK)).toEqual(expected(startOf(block), BLOCK));
    }
  });
});

function flipped(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  copy[500] = (copy[500] ?? 0) ^ 1;
  return copy;
}
