import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildWasm } from '../../../scripts/build-wasm.ts';
import { EXPORTS } from '../../../scripts/wasm/exports.ts';
import { scanCalls } from '../../../scripts/wasm/instructions.ts';
import { Reader, toLeb } from '../../../scripts/wasm/reader.ts';
import { stripModule } from '../../../scripts/wasm/strip.ts';
import { createTrampolines } from '../../../scripts/wasm/trampolines.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const filesOf = (folder: string): [string, Buffer][] =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]);

describe('the engine’s artefacts', () => {
  it('are the same bytes in every build, and as artefact.json says', async () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    await buildWasm(first);
    await buildWasm(second);
    expect(readdirSync(first)).toEqual([
      'LICENSE.duckdb.txt',
      'artefact.json',
      'duckdb.wasm',
      'trampolines.wasm',
    ]);
    for (const [name, bytes] of filesOf(first))
      expect(bytes.equals(readFileSync(join(second, name)))).toBe(true);
    const { outputs } = JSON.parse(readFileSync(join(first, 'artefact.json'), 'utf8'));
    for (const [name, { sha256 }] of Object.entries<{ sha256: string }>(outputs)) {
      const digest = createHash('sha256')
        .update(readFileSync(join(first, name)))
        .digest('hex');
      expect(digest).toBe(sha256);
    }
  });

  it('are left alone when they are up to date', async () => {
    await buildWasm();
    const folder = temporaryFolder();
    cpSync('dist/duckdb-wasm', folder, { recursive: true });
    const made = statSync(join(folder, 'duckdb.wasm')).mtimeMs;
    await buildWasm(folder);
    expect(statSync(join(folder, 'duckdb.wasm')).mtimeMs).toBe(made);
    rmSync(join(folder, 'trampolines.wasm'));
    await buildWasm(folder);
    expect(readdirSync(folder)).toContain('trampolines.wasm');
  });

  it('have the functions that the adapter calls and no others', async () => {
    await buildWasm();
    const engine = await WebAssembly.compile(readFileSync('dist/duckdb-wasm/duckdb.wasm'));
    expect(new Set(WebAssembly.Module.exports(engine).map(({ name }) => name))).toEqual(
      new Set(EXPORTS.values()),
    );
    expect(statSync('dist/duckdb-wasm/duckdb.wasm').size).toBeLessThan(25_800_000);
  });
});

/** (func $used) (func $unused) (func (export "a") call $used) (func (export "b")), as a linker writes it. */
function smallModule(): Uint8Array {
  const vector = (...items: number[][]): number[] => [...toLeb(items.length), ...items.flat()];
  const section = (id: number, body: number[]): number[] => [id, ...toLeb(body.length), ...body];
  const body = (...code: number[]): number[] => [code.length + 2, 0, ...code, 0x0b];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([0x60, 0, 0])),
    ...section(2, vector([1, 101, 1, 109, 2, 0, 1])),
    ...section(3, vector([0], [0], [0], [0])),
    ...section(4, vector([0x70, 0, 1])),
    ...section(7, vector([1, 97, 0, 2], [1, 98, 0, 3])),
    ...section(8, [3]),
    ...section(9, vector([0, 0x41, 0, 0x0b, ...vector([3])])),
    ...section(10, vector(body(0x01), body(0x01, 0x01), body(0x10, 0), body(0x01))),
  ]);
}

/** (func (export "allocate") (param i32 i64) (result i32) (local i32) i32.const 7), and a start that does nothing. */
function allocatingModule(): Uint8Array {
  const vector = (...items: number[][]): number[] => [...toLeb(items.length), ...items.flat()];
  const section = (id: number, body: number[]): number[] => [id, ...toLeb(body.length), ...body];
  const name = [...new TextEncoder().encode('allocate')];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([0x60, 2, 0x7f, 0x7e, 1, 0x7f], [0x60, 0, 0])),
    ...section(2, vector()),
    ...section(3, vector([0], [1])),
    ...section(4, vector([0x70, 0, 1])),
    ...section(7, vector([...toLeb(name.length), ...name, 0, 0])),
    ...section(8, [1]),
    ...section(9, vector([0, 0x41, 0, 0x0b, ...vector([1])])),
    ...section(10, vector([6, 1, 1, 0x7f, 0x41, 7, 0x0b], [2, 0, 0x0b])),
  ]);
}

describe('stripping', () => {
  it('keeps what the exports, the start and the table reach, and empties the rest', async () => {
    const stripped = stripModule(smallModule(), new Map([['a', 'first']]));
    const compiled = await WebAssembly.compile(Uint8Array.from(stripped));
    expect(WebAssembly.Module.exports(compiled).map(({ name }) => name)).toEqual(['first']);
    const memory = new WebAssembly.Memory({ initial: 1 });
    const { first } = (await WebAssembly.instantiate(compiled, { e: { m: memory } })).exports;
    expect(typeof first === 'function' && first()).toBeUndefined();
    const hollow = [3, 0, 0x00, 0x0b].join();
    expect([...stripped].join().split(hollow).length - 1).toBe(1);
  });

  it('lets a function that is guarded return nothing for a size of 4 GiB', async () => {
    const module = allocatingModule();
    const guarded = stripModule(module, new Map([['allocate', 'allocate']]), new Map([['allocate', 1]]));
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(guarded)));
    const { allocate } = exports;
    if (typeof allocate !== 'function') throw new Error('allocate is no function');
    expect([0n, 1n, 2n ** 32n - 1n].map((size) => allocate(0, size))).toEqual([7, 7, 7]);
    expect([2n ** 32n, 2n ** 33n, 2n ** 64n - 1n].map((size) => allocate(0, size))).toEqual([0, 0, 0]);
    expect(() => stripModule(module, new Map(), new Map([['gone', 1]]))).toThrow(/does not export gone/);
  });

  it('fails for an export that is not there', () => {
    expect(() =>
      stripModule(
        smallModule(),
        new Map([
          ['a', 'a'],
          ['gone', 'b'],
        ]),
      ),
    ).toThrow(/does not export gone/);
  });

  it('fails for an instruction that it does not know, rather than guess', () => {
    for (const code of [[0x27], [0xc5], [0xfc, 18], [0xff], [0x41], [0x10, 0x80]]) {
      const bytes = Uint8Array.from(code);
      expect(() => scanCalls(new Reader(bytes), bytes.length, () => {})).toThrow(/instruction|early/);
    }
  });
});

describe('trampolines', () => {
  it('make a function of JavaScript one of WebAssembly', async () => {
    const compiled = await WebAssembly.compile(
      Uint8Array.from(createTrampolines({ scalar: 'iii', wide: 'ij:i' }, { fetch: 'ii:i' }, -1)),
    );
    const seen: number[][] = [];
    const record = (...args: number[]): number => seen.push(args);
    const { scalar, wide, fetch } = (
      await WebAssembly.instantiate(compiled, {
        e: {
          scalar: record,
          wide: (...args: unknown[]) => args.length,
          fetch: (first: number, second: number) => (first === 0 ? -1 : second),
          wait_fetch: (first: number, second: number) => 1000 + first + second,
        },
      })
    ).exports;
    if (typeof scalar === 'function') scalar(1, 2, -3);
    expect(seen).toEqual([[1, 2, -3]]);
    expect(typeof wide === 'function' && wide(1, 2n)).toBe(2);
    // A shim calls the second import only if the first one answers that it must.
    if (typeof fetch !== 'function') throw new Error('there is no shim');
    expect([fetch(7, 8), fetch(0, 8), fetch(1, 0)]).toEqual([8, 1008, 0]);
    const table = new WebAssembly.Table({ initial: 1, element: 'anyfunc' });
    table.set(0, scalar);
    expect(table.get(0)).toBe(scalar);
  });
});
