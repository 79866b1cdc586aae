import { Reader, toLeb } from './reader.ts';

/** The numbers of the sections this build looks into. */
export const SECTION = { custom: 0, import: 2, export: 7, start: 8, element: 9, code: 10 } as const;

/** One section: its number and its body. */
export interface Section {
  readonly id: number;
  readonly body: Uint8Array;
}

/** The sections of a module, in order. */
export function parseSections(module: Uint8Array): Section[] {
  const reader = new Reader(module, 8);
  const sections: Section[] = [];
  while (reader.at < module.length) {
    const id = reader.byte();
    const length = reader.number();
    sections.push({ id, body: module.subarray(reader.at, reader.at + length) });
    reader.at += length;
  }
  return sections;
}

/** A module of these sections. */
export function toModule(sections: readonly Section[]): Uint8Array {
  const header = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  return join([
    header,
    ...sections.flatMap(({ id, body }) => [Uint8Array.of(id, ...toLeb(body.length)), body]),
  ]);
}

/** A vector's body: the count, then the items. */
export function toVector(items: readonly Uint8Array[]): Uint8Array {
  return join([Uint8Array.from(toLeb(items.length)), ...items]);
}

/** Byte arrays, one after the other. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
