import { toLeb } from './reader.ts';
import { join, SECTION, toModule, toVector } from './sections.ts';

const TYPE_SECTION = 1;
const FUNCTION_SECTION = 3;

const CODE = {
  ifEmpty: [0x04, 0x40],
  end: 0x0b,
  return: 0x0f,
  call: 0x10,
  get: 0x20,
  tee: 0x22,
  i32: 0x41,
  notEqual: 0x47,
  int: 0x7f,
};
const VALUES: { readonly [letter: string]: number } = { i: 0x7f, j: 0x7e };

type Signatures = { readonly [name: string]: string };

/**
 * Makes a module that takes each JavaScript function `e.<name>` and exports it as a function of its signature (`ij:i`
 * takes 32 and 64 bits and returns 32), fit for the engine's table. workerd has no WebAssembly.Function and compiles
 * nothing at run time. Each of `reads` becomes a shim, which calls `e.<name>` and, if that returns `mustWait`,
 * `e.wait_<name>`. A suspending import always suspends, even with its result at hand; the shim calls it only if needed.
 */
export function createTrampolines(callbacks: Signatures, reads: Signatures, mustWait: number): Uint8Array {
  const waits = Object.entries(reads).map(([name, signature]) => [`wait_${name}`, signature] as const);
  const imported = [...Object.entries(callbacks), ...Object.entries(reads), ...waits];
  const types = imported.map(([, signature]) => functionType(signature));
  const imports = imported.map(([name], index) => bytes(text('e'), text(name), [0], toLeb(index)));
  const indexOf = (name: string): number => imported.findIndex(([candidate]) => candidate === name);
  const shims = Object.entries(reads).map(([name, signature], at) => ({
    type: indexOf(name),
    entry: bytes(text(name), [0], toLeb(imported.length + at)),
    body: shim(signature, { read: indexOf(name), wait: indexOf(`wait_${name}`), mustWait }),
  }));
  const passed = Object.keys(callbacks).map((name) => bytes(text(name), [0], toLeb(indexOf(name))));
  return toModule([
    { id: TYPE_SECTION, body: toVector(types) },
    { id: SECTION.import, body: toVector(imports) },
    { id: FUNCTION_SECTION, body: toVector(shims.map(({ type }) => Uint8Array.from(toLeb(type)))) },
    { id: SECTION.export, body: toVector([...passed, ...shims.map(({ entry }) => entry)]) },
    { id: SECTION.code, body: toVector(shims.map(({ body }) => body)) },
  ]);
}

interface ShimParts {
  /** Indexes of the imports. */
  readonly read: number;
  readonly wait: number;
  readonly mustWait: number;
}

/** The body of a shim: `result = read(...args); return result != mustWait ? result : wait(...args)`. */
function shim(signature: string, { read, wait, mustWait }: ShimParts): Uint8Array {
  const count = signature.indexOf(':');
  const args = Array.from({ length: count }, (_, index) => [CODE.get, index]).flat();
  const result = count;
  const isReady = [CODE.call, read, CODE.tee, result, CODE.i32, mustWait & 127, CODE.notEqual];
  const answer = [...CODE.ifEmpty, CODE.get, result, CODE.return, CODE.end];
  const code = [1, 1, CODE.int, ...args, ...isReady, ...answer, ...args, CODE.call, wait, CODE.end];
  return Uint8Array.from([...toLeb(code.length), ...code]);
}

function functionType(signature: string): Uint8Array {
  const [takes = '', gives = ''] = signature.split(':');
  return bytes([0x60], values(takes), values(gives));
}

function values(letters: string): number[] {
  return [...toLeb(letters.length), ...Array.from(letters, (letter) => VALUES[letter] ?? 0)];
}

function text(value: string): number[] {
  const encoded = new TextEncoder().encode(value);
  return [...toLeb(encoded.length), ...encoded];
}

function bytes(...parts: readonly (readonly number[])[]): Uint8Array {
  return join(parts.map((part) => Uint8Array.from(part)));
}
