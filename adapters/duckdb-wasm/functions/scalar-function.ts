import { SvcError } from '../../../src/errors.ts';
import { type Binding, bindingOf } from './binding.ts';
import type { CppInstance } from './cpp.ts';
import type { Loader } from './extension-loader.ts';
import type { SqlTypeName, SqlTypes } from './sql-types.ts';

/** One overload of a SQL function in JavaScript. */
export interface Overload {
  readonly takes: readonly SqlTypeName[];
  /** The type of any further arguments. */
  readonly rest?: SqlTypeName;
  readonly returns: SqlTypeName;
  /** Whether it is called for NULL arguments too; otherwise DuckDB answers NULL for a constant NULL. */
  readonly seesNulls?: boolean;
  /** Checks or changes a call while it is planned. */
  bind?(binding: Binding): void;
  /** Computes the rows of a chunk. */
  run(chunk: number, output: number): void;
}

/** A SQL function in JavaScript. */
export interface SqlFunction {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** Returns a function that registers SQL functions for every connection of an engine. */
export function createDefine(
  instance: CppInstance,
  loader: Loader,
  types: SqlTypes,
): (definition: SqlFunction) => void {
  const known: Overload[] = [];
  const { call } = instance;
  const run = instance.addCallback('scalar', (info, chunk, output) => {
    guarded(
      () => known[call.duckdb_scalar_function_get_extra_info(info) - 1]?.run(chunk, output),
      (message) => failWith(instance, message, (at) => call.duckdb_scalar_function_set_error(info, at)),
    );
  });
  const bind = instance.addCallback('bind', (info) => {
    const overload = known[call.duckdb_scalar_function_bind_get_extra_info(info) - 1];
    guarded(
      () => overload?.bind?.(bindingOf(instance, types, info)),
      (message) => failWith(instance, message, (at) => call.duckdb_scalar_function_bind_set_error(info, at)),
    );
  });
  return ({ name, overloads }) =>
    loader.functions(name, (set) => {
      for (const overload of overloads) {
        known.push(overload);
        const addresses = { run, bind, info: known.length };
        addOverload(instance, types, set, { name, overload, addresses });
      }
    });
}

interface Addition {
  readonly name: string;
  readonly overload: Overload;
  readonly addresses: { readonly run: number; readonly bind: number; readonly info: number };
}

function addOverload(
  { call, heap, scratch, withText }: CppInstance,
  types: SqlTypes,
  set: number,
  { name, overload, addresses }: Addition,
): void {
  const at = call.duckdb_create_scalar_function();
  withText(name, (text) => call.duckdb_scalar_function_set_name(at, text));
  for (const type of overload.takes) call.duckdb_scalar_function_add_parameter(at, types.get(type));
  if (overload.rest) call.duckdb_scalar_function_set_varargs(at, types.get(overload.rest));
  call.duckdb_scalar_function_set_return_type(at, types.get(overload.returns));
  if (overload.seesNulls) call.duckdb_scalar_function_set_special_handling(at);
  if (overload.bind) call.duckdb_scalar_function_set_bind(at, addresses.bind);
  call.duckdb_scalar_function_set_extra_info(at, addresses.info, 0);
  call.duckdb_scalar_function_set_function(at, addresses.run);
  call.duckdb_add_scalar_function_to_set(set, at);
  heap.setU32(scratch, at);
  call.duckdb_destroy_scalar_function(scratch);
}

/** Runs a callback: C++ exceptions pass through, any other error goes to `fail`, so that it does not unwind C++ frames. */
export function guarded(work: () => void, fail: (message: string) => void): void {
  try {
    work();
  } catch (thrown) {
    if (isCppException(thrown)) throw thrown;
    fail(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function isCppException(thrown: unknown): boolean {
  const { Exception } = WebAssembly as unknown as { readonly Exception: new () => unknown };
  return thrown instanceof Exception;
}

function failWith(
  { heap, scratch, withText }: CppInstance,
  message: string,
  set: (at: number) => void,
): void {
  try {
    withText(message, set);
  } catch {
    // There is no memory for the message. An empty one needs none.
    heap.setU32(scratch, 0);
    set(scratch);
  }
}

/** The error for a statement that fails while it is planned or run. */
export function rowError(message: string): SvcError {
  return new SvcError('sql_failed', message);
}
