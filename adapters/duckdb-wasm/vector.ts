import type { Heap } from './heap.ts';
import type { Instance } from './instance.ts';

/** A vector that is read: text and fixed-size values of rows that are not null. */
export interface Input {
  readonly data: number;
  /** Where a text's entry lies; the same for rows of a constant. */
  entry(row: number): number;
  isNull(row: number): boolean;
}

const ENTRY_BYTES = 16;

/** A vector of a chunk, or of another vector. */
export function inputOf({ call, heap }: Instance, vector: number): Input {
  const valid = call.duckdb_vector_get_validity(vector);
  const data = call.duckdb_vector_get_data(vector);
  return {
    data,
    entry: (row) => data + row * ENTRY_BYTES,
    isNull: (row) => !isValid(heap, valid, row),
  };
}

/** Column `index` of a chunk. */
export function columnOf({ call }: Instance, chunk: number, index: number): number {
  return call.duckdb_data_chunk_get_vector(chunk, index, 0);
}

/** Makes a row of a vector null. */
export function setNull({ call, heap }: Instance, vector: number, row: number): void {
  call.duckdb_vector_ensure_validity_writable(vector);
  const at = call.duckdb_vector_get_validity(vector) + (row >> 3);
  heap.bytes[at] = (heap.bytes[at] ?? 0) & ~(1 << (row & 7));
}

/** Copies text that lies in the engine's memory into a row. */
export function setBytes(
  { call }: Instance,
  vector: number,
  row: number,
  { at, length }: { readonly at: number; readonly length: number },
): void {
  call.duckdb_vector_assign_string_element_len(vector, row, 0, at, length, 0);
}

/** Writes text into a row. */
export function setText(instance: Instance, vector: number, row: number, value: string): void {
  instance.withText(value, (at, length) => setBytes(instance, vector, row, { at, length }));
}

function isValid(heap: Heap, valid: number, row: number): boolean {
  return valid === 0 || ((heap.bytes[valid + (row >> 3)] ?? 0) & (1 << (row & 7))) !== 0;
}
