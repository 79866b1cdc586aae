import { SvcError } from '../../src/errors.ts';
import type { Heap } from './heap.ts';
import type { Instance } from './instance.ts';
import { TYPE } from './type-ids.ts';

/** A SQL function that this program answers. It may answer null, and it sees null arguments. */
export interface ScalarFunction {
  readonly name: string;
  /** How many VARCHAR arguments it takes. */
  readonly parameters: 0 | 1;
  readonly returns: 'VARCHAR' | 'DATE' | 'TIME' | 'TIMESTAMP';
  answer(argument: string | null): string | number | bigint | null;
}

/** Makes a SQL function known to every connection of the engine. */
export function defineFunction(instance: Instance, connection: number, definition: ScalarFunction): void {
  const { call, heap, scratch } = instance;
  const pointer = call.duckdb_create_scalar_function();
  instance.withText(definition.name, (at) => call.duckdb_scalar_function_set_name(pointer, at));
  for (let left = definition.parameters; left > 0; left -= 1) {
    withLogicalType(instance, TYPE.VARCHAR, (type) =>
      call.duckdb_scalar_function_add_parameter(pointer, type),
    );
  }
  withLogicalType(instance, TYPE[definition.returns], (type) =>
    call.duckdb_scalar_function_set_return_type(pointer, type),
  );
  call.duckdb_scalar_function_set_special_handling(pointer);
  call.duckdb_scalar_function_set_function(pointer, addCallback(instance, definition));
  const state = call.duckdb_register_scalar_function(connection, pointer);
  heap.setU32(scratch, pointer);
  call.duckdb_destroy_scalar_function(scratch);
  if (state !== 0)
    throw new SvcError('database_unavailable', `The SQL function ${definition.name} cannot be defined.`);
}

function addCallback(instance: Instance, definition: ScalarFunction): number {
  return instance.addCallback((info, chunk, output) => {
    try {
      answerRows(instance, chunk, output, definition);
    } catch (thrown) {
      // A JavaScript error must not unwind the engine's own frames.
      failWith(instance, info, thrown instanceof Error ? thrown.message : String(thrown));
    }
  });
}

function failWith({ call, heap, scratch, withText }: Instance, info: number, message: string): void {
  try {
    withText(message, (at) => call.duckdb_scalar_function_set_error(info, at));
  } catch {
    // Not even the text has room; an empty one needs none.
    heap.setU32(scratch, 0);
    call.duckdb_scalar_function_set_error(info, scratch);
  }
}

function answerRows(instance: Instance, chunk: number, output: number, definition: ScalarFunction): void {
  const { call } = instance;
  const count = call.duckdb_data_chunk_get_size(chunk);
  const argument = definition.parameters === 0 ? () => null : textsOf(instance, chunk);
  for (let row = 0; row < count; row += 1) {
    const value = definition.answer(argument(row));
    if (value === null) setNull(instance, output, row);
    else if (typeof value === 'string') setText(instance, output, row, value);
    else setNumber(instance, output, row, value);
  }
}

function textsOf({ call, heap }: Instance, chunk: number): (row: number) => string | null {
  const vector = call.duckdb_data_chunk_get_vector(chunk, 0, 0);
  const valid = call.duckdb_vector_get_validity(vector);
  const data = call.duckdb_vector_get_data(vector);
  return (row) => (isValid(heap, valid, row) ? heap.string(data, row) : null);
}

function isValid(heap: Heap, valid: number, row: number): boolean {
  return valid === 0 || ((heap.bytes[valid + (row >> 3)] ?? 0) & (1 << (row & 7))) !== 0;
}

function setNull({ call, heap }: Instance, vector: number, row: number): void {
  call.duckdb_vector_ensure_validity_writable(vector);
  const at = call.duckdb_vector_get_validity(vector) + (row >> 3);
  heap.bytes[at] = (heap.bytes[at] ?? 0) & ~(1 << (row & 7));
}

function setText(instance: Instance, vector: number, row: number, value: string): void {
  instance.withText(value, (at, length) =>
    instance.call.duckdb_vector_assign_string_element_len(vector, row, 0, at, length, 0),
  );
}

function setNumber({ call, heap }: Instance, vector: number, row: number, value: number | bigint): void {
  const data = call.duckdb_vector_get_data(vector);
  if (typeof value === 'bigint') heap.view.setBigInt64(data + row * 8, value, true);
  else heap.view.setInt32(data + row * 4, value, true);
}

function withLogicalType(instance: Instance, id: number, use: (type: number) => void): void {
  const { call, heap, scratch } = instance;
  const type = call.duckdb_create_logical_type(id);
  use(type);
  heap.setU32(scratch, type);
  call.duckdb_destroy_logical_type(scratch);
}
