import { toLeb } from './reader.ts';
import { join, SECTION, toModule, toVector } from './sections.ts';

const I32 = 0x7f;
const TYPE_SECTION = 1;

/**
 * A module that takes the JavaScript function `e.<name>` and hands it back as a function of the given number of i32
 * parameters, fit for the engine's table. workerd has no WebAssembly.Function and compiles nothing at run time.
 */
export function createTrampolines(parameters: { readonly [name: string]: number }): Uint8Array {
  const names = Object.keys(parameters);
  const types = names.map((name) => functionType(parameters[name] ?? 0));
  const imports = names.map((name, index) => bytes(text('e'), text(name), [0], toLeb(index)));
  const exports = names.map((name, index) => bytes(text(name), [0], toLeb(index)));
  return toModule([
    { id: TYPE_SECTION, body: toVector(types) },
    { id: SECTION.import, body: toVector(imports) },
    { id: SECTION.export, body: toVector(exports) },
  ]);
}

function functionType(parameters: number): Uint8Array {
  return bytes([0x60], toLeb(parameters), new Array<number>(parameters).fill(I32), [0]);
}

function text(value: string): number[] {
  const encoded = new TextEncoder().encode(value);
  return [...toLeb(encoded.length), ...encoded];
}

function bytes(...parts: readonly (readonly number[])[]): Uint8Array {
  return join(parts.map((part) => Uint8Array.from(part)));
}
