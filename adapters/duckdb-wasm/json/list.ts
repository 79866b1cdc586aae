import type { Instance } from '../instance.ts';

const ENTRY_BYTES = 16;

/** Puts something into a row of a vector. */
export type Put<T> = (value: T, vector: number, row: number) => void;

/** Puts a list of things into a row of a list vector, each by its own way. */
export function listOf<T>({ call, heap }: Instance, put: Put<T>): Put<readonly T[]> {
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
