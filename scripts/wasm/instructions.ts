import type { Reader } from './reader.ts';

type Skip = (reader: Reader) => void;

const none: Skip = () => {};
const index: Skip = (reader) => reader.skipNumber();
const twoIndexes: Skip = (reader) => {
  reader.skipNumber();
  reader.skipNumber();
};
const bytes =
  (count: number): Skip =>
  (reader) => {
    reader.skip(count);
  };

const CALLS = new Set([0x10, 0x12, 0xd2]);

/** The operands of each one-byte opcode, for the features that DuckDB is compiled with. A missing opcode is an error. */
const OPERANDS = operands([
  [0x00, 0x01, none],
  [0x02, 0x04, index],
  [0x05, 0x05, none],
  [0x06, 0x09, index],
  [0x0a, 0x0b, none],
  [0x0c, 0x0d, index],
  [0x0e, 0x0e, skipBranchTable],
  [0x0f, 0x0f, none],
  [0x11, 0x11, twoIndexes],
  [0x13, 0x13, twoIndexes],
  [0x18, 0x18, index],
  [0x19, 0x1b, none],
  [0x1c, 0x1c, skipTypes],
  [0x20, 0x26, index],
  [0x28, 0x3e, twoIndexes],
  [0x3f, 0x42, index],
  [0x43, 0x43, bytes(4)],
  [0x44, 0x44, bytes(8)],
  [0x45, 0xc4, none],
  [0xd0, 0xd0, index],
  [0xd1, 0xd1, none],
  [0xfc, 0xfc, skipBulk],
  [0xfd, 0xfd, skipVector],
]);

/** Reports every function that the instructions from here to `end` call or refer to. */
export function scanCalls(reader: Reader, end: number, onCall: (callee: number) => void): void {
  while (reader.at < end) {
    const opcode = reader.byte();
    if (CALLS.has(opcode)) onCall(reader.number());
    else skipOperand(opcode, reader);
  }
  if (reader.at !== end) throw new Error(`an instruction runs past byte ${end}`);
}

function skipOperand(opcode: number, reader: Reader): void {
  const skip = OPERANDS[opcode];
  if (skip === undefined) throw new Error(`unknown instruction 0x${opcode.toString(16)} at ${reader.at - 1}`);
  skip(reader);
}

function operands(ranges: readonly (readonly [number, number, Skip])[]): (Skip | undefined)[] {
  const table: (Skip | undefined)[] = new Array(256).fill(undefined);
  for (const [from, to, skip] of ranges) table.fill(skip, from, to + 1);
  return table;
}

function skipBranchTable(reader: Reader): void {
  for (let left = reader.number() + 1; left > 0; left -= 1) reader.skipNumber();
}

function skipTypes(reader: Reader): void {
  reader.skip(reader.number());
}

/** Saturating conversions, then memory and table instructions. */
function skipBulk(reader: Reader): void {
  const code = reader.number();
  if (code > 17) throw new Error(`unknown instruction 0xfc ${code} at ${reader.at}`);
  const count = code < 8 ? 0 : [8, 10, 12, 14].includes(code) ? 2 : 1;
  for (let left = count; left > 0; left -= 1) reader.skipNumber();
}

function skipVector(reader: Reader): void {
  const code = reader.number();
  if (code > 255) throw new Error(`unknown instruction 0xfd ${code} at ${reader.at}`);
  if (code <= 11 || (code >= 84 && code <= 93)) twoIndexes(reader);
  if (code === 12 || code === 13) reader.skip(16);
  if ((code >= 21 && code <= 34) || (code >= 84 && code <= 91)) reader.skip(1);
}
