import type { Heap } from '../engine/heap.ts';
import type { CppInstance } from './cpp.ts';

/** Bytes in the engine's memory. */
export interface Bytes {
  readonly at: number;
  readonly length: number;
}

/** A vector for reading. */
export interface Input {
  /** The address of the values of fixed size. */
  readonly data: number;
  isNull(row: number): boolean;
  /** The bytes of a text. */
  bytes(row: number): Bytes;
  /** The offset and the length of a list. */
  range(row: number): readonly [start: number, length: number];
}

const ENTRY_BYTES = 16;
const INLINE_BYTES = 12;

/** Reads a vector of a chunk, or the child of another vector. */
export function inputOf({ call, heap }: CppInstance, vector: number): Input {
  const valid = call.duckdb_vector_get_validity(vector);
  const data = call.duckdb_vector_get_data(vector);
  return {
    data,
    isNull: (row) => !isValid(heap, valid, row),
    bytes(row) {
      const entry = data + row * ENTRY_BYTES;
      const length = heap.u32(entry);
      return { at: length <= INLINE_BYTES ? entry + 4 : heap.u32(entry + 8), length };
    },
    range: (row) => [heap.u32(data + row * ENTRY_BYTES), heap.u32(data + row * ENTRY_BYTES + 8)],
  };
}

/** Calls `use` for each row of a chunk. A row with a NULL argument becomes NULL. */
export function forRows(
  instance: CppInstance,
  chunk: number,
  output: number,
  use: (row: number, ...inputs: readonly Input[]) => void,
): void {
  const { call } = instance;
  const inputs = Array.from({ length: call.duckdb_data_chunk_get_column_count(chunk) }, (_, index) =>
    inputOf(instance, columnOf(instance, chunk, index)),
  );
  for (let row = 0; row < call.duckdb_data_chunk_get_size(chunk); row += 1) {
    if (inputs.some(({ isNull }) => isNull(row))) setNull(instance, output, row);
    else use(row, ...inputs);
  }
}

/** Column `index` of a chunk. */
export function columnOf({ call }: CppInstance, chunk: number, index: number): number {
  return call.duckdb_data_chunk_get_vector(chunk, index, 0);
}

/** Makes a row of a vector null. */
export function setNull({ call, heap }: CppInstance, vector: number, row: number): void {
  call.duckdb_vector_ensure_validity_writable(vector);
  const at = call.duckdb_vector_get_validity(vector) + (row >> 3);
  heap.bytes[at] = (heap.bytes[at] ?? 0) & ~(1 << (row & 7));
}

/** Copies text that lies in the engine's memory into a row. */
export function setBytes({ call }: CppInstance, vector: number, row: number, { at, length }: Bytes): void {
  call.duckdb_vector_assign_string_element_len(vector, row, 0, at, length, 0);
}

/** Writes text into a row. */
export function setText(instance: CppInstance, vector: number, row: number, value: string): void {
  instance.withText(value, (at, length) => setBytes(instance, vector, row, { at, length }));
}

function isValid(heap: Heap, valid: number, row: number): boolean {
  return valid === 0 || ((heap.bytes[valid + (row >> 3)] ?? 0) & (1 << (row & 7))) !== 0;
}

/** Runs with the type of a vector. */
export function withTypeOf<T>(instance: CppInstance, vector: number, use: (type: number) => T): T {
  return withOwnType(instance, instance.call.duckdb_vector_get_column_type(vector), use);
}

/** Runs with a type, and destroys it afterwards. */
export function withOwnType<T>(
  { call, heap, scratch }: CppInstance,
  type: number,
  use: (type: number) => T,
): T {
  try {
    return use(type);
  } finally {
    heap.setU32(scratch, type);
    call.duckdb_destroy_logical_type(scratch);
  }
}

/** Writes a value into a row of a vector. */
export type Put<T> = (value: T, vector: number, row: number) => void;

/** Returns a function that writes a list into a row of a list vector, item by item. */
export function putList<T>({ call, heap }: CppInstance, put: Put<T>): Put<readonly T[]> {
  return (values, vector, row) => {
    const start = call.duckdb_list_vector_get_size(vector);
    call.duckdb_list_vector_reserve(vector, start + values.length, 0);
    call.duckdb_list_vector_set_size(vector, start + values.length, 0);
    heap.words(call.duckdb_vector_get_data(vector) + row * ENTRY_BYTES, [start, 0, values.length, 0]);
    const items = call.duckdb_list_vector_get_child(vector);
    values.forEach((value, index) => {
      put(value, items, start + index);
    });
  };
}
