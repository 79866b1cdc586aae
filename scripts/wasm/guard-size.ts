import { Reader, toLeb } from './reader.ts';
import { join } from './sections.ts';

/** Opcodes of WebAssembly. */
const OP = {
  localGet: 0x20,
  i64Const: 0x42,
  i64ShiftRight: 0x88,
  i64IsZero: 0x50,
  i32IsZero: 0x45,
  if: 0x04,
  noResult: 0x40,
  i32Const: 0x41,
  return: 0x0f,
  end: 0x0b,
} as const;

/**
 * The code of an allocating function that returns the null pointer for 4 GiB and more. `parameter` is the index of the
 * size, a 64-bit integer. DuckDB calculates sizes in 64 bits, and its build for 32 bits cuts them: a request for 8 GiB
 * gets no memory at all, and DuckDB overwrites the memory behind it.
 */
export function guardSize(code: Uint8Array, parameter: number): Uint8Array {
  const reader = new Reader(code);
  reader.skipNumber();
  const start = reader.at;
  for (let groups = reader.number(); groups > 0; groups -= 1) {
    reader.skipNumber();
    reader.skip(1);
  }
  const isLarge = [
    OP.localGet,
    ...toLeb(parameter),
    OP.i64Const,
    32,
    OP.i64ShiftRight,
    OP.i64IsZero,
    OP.i32IsZero,
  ];
  const refusal = [OP.if, OP.noResult, OP.i32Const, 0, OP.return, OP.end];
  const body = join([
    code.subarray(start, reader.at),
    Uint8Array.from([...isLarge, ...refusal]),
    code.subarray(reader.at),
  ]);
  return join([Uint8Array.from(toLeb(body.length)), body]);
}
