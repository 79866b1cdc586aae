import { toLeb } from './reader.ts';
import { join, SECTION, toModule, toVector } from './sections.ts';

const TYPE_SECTION = 1;
const VALUES: { readonly [letter: string]: number } = { i: 0x7f, j: 0x7e };

/**
 * A module that takes each JavaScript function `e.<name>` and hands it back as a function of its signature (`ij:i` takes
 * 32 and 64 bits and gives back 32), fit for the engine's table. workerd has no WebAssembly.Function and compiles
 * nothing at run time.
 */
export function createTrampolines(signatures: { readonly [name: string]: string }): Uint8Array {
  const names = Object.keys(signatures);
  const types = Object.values(signatures).map(functionType);
  const imports = names.map((name, index) => bytes(text('e'), text(name), [0], toLeb(index)));
  const exports = names.map((name, index) => bytes(text(name), [0], toLeb(index)));
  return toModule([
    { id: TYPE_SECTION, body: toVector(types) },
    { id: SECTION.import, body: toVector(imports) },
    { id: SECTION.export, body: toVector(exports) },
  ]);
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
