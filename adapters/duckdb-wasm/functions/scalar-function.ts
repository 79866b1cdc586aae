import { SvcError } from '../../../src/errors.ts';
import { toEngineError } from '../errors.ts';
import { type ColumnType, takeType } from '../query/types.ts';
import type { CppInstance } from './cpp.ts';
import { type Loader, withCppText } from './extension-loader.ts';
import { BIND_INFO, LOGICAL_TYPE, SCALAR_FUNCTION } from './layout.ts';
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

/**
 * Runs a callback. C++ exceptions and traps pass through. Any other error goes to `fail`, so that it does not unwind C++
 * frames.
 */
export function guarded<T>(work: () => T, fail: (message: string) => T): T {
  try {
    return work();
  } catch (thrown) {
    if (isCppException(thrown) || thrown instanceof WebAssembly.RuntimeError) throw thrown;
    return fail(toEngineError(thrown).message);
  }
}

const PARAMETERS_BYTES = 64;

/** Throws an error as a C++ exception of DuckDB, from a callback that cannot report it in another way. */
export function throwInDuckdb(instance: CppInstance, message: string): never {
  const { cpp, heap, scratch } = instance;
  // Zeros are the parameters of a cast that throws its errors. They are an empty text, too.
  heap.bytes.fill(0, scratch, scratch + PARAMETERS_BYTES);
  guarded(
    () => withCppText(instance, message, (text) => cpp.castError(text, scratch)),
    // There is no memory for the message.
    () => cpp.castError(scratch, scratch),
  );
  throw rowError(message);
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

/** A call of a SQL function during planning. */
export interface Binding {
  /** The number of arguments. */
  readonly count: number;
  /** The id of an argument's type. */
  typeOf(index: number): number;
  /** Whether an argument is of the type JSON, which is text under another name. */
  isJson(index: number): boolean;
  /** The text of a constant argument; null for NULL; undefined if it is not constant. */
  constant(index: number): string | null | undefined;
  /** The texts of a constant list; undefined if it is not constant. */
  constants(index: number): readonly (string | null)[] | undefined;
  /** Changes the type that an argument is cast to. */
  take(index: number, type: SqlTypeName): void;
  /** Changes the type that the call returns, by name or by the address of a type. */
  returns(type: SqlTypeName | number): void;
  /** The address of DuckDB's ClientContext of the connection. */
  readonly context: number;
}

const POINTER_BYTES = 4;

/** Reads the call from the argument of a `bind` function. */
export function bindingOf(instance: CppInstance, types: SqlTypes, info: number): Binding {
  const { call, cpp, heap } = instance;
  const callee = heap.u32(info + BIND_INFO.function);
  const first = heap.u32(heap.u32(info + BIND_INFO.arguments));
  // Each element is a pointer, as the C API's wrapper of an expression is. The C API itself copies an argument, which
  // fails for one with a subquery.
  const argument = (index: number): number => first + index * POINTER_BYTES;
  const withConstant = <T>(index: number, use: (value: number) => T): T | undefined =>
    folded(instance, info, argument(index), use);
  return {
    count: call.duckdb_scalar_function_bind_get_argument_count(info),
    typeOf: (index) => typeOf(instance, argument(index)).id,
    isJson: (index) => typeOf(instance, argument(index)).alias === 'JSON',
    constant: (index) => withConstant(index, (value) => textOf(instance, value)),
    constants: (index) => withConstant(index, (value) => textsOf(instance, value)),
    take(index, type) {
      const first = heap.u32(callee + SCALAR_FUNCTION.takes);
      cpp.assignType(first + index * LOGICAL_TYPE.bytes, types.get(type));
    },
    returns(type) {
      cpp.assignType(callee + SCALAR_FUNCTION.returns, typeof type === 'number' ? type : types.get(type));
    },
    context: heap.u32(info + BIND_INFO.context),
  };
}

function folded<T>(
  instance: CppInstance,
  info: number,
  expression: number,
  use: (value: number) => T,
): T | undefined {
  const { call, heap, scratch } = instance;
  if (call.duckdb_expression_is_foldable(expression) === 0) return undefined;
  heap.setU32(scratch + 8, 0);
  // The bind info begins with the address of the context, as the wrapper does that this function expects.
  const error = call.duckdb_expression_fold(info, expression, scratch + 8);
  if (error !== 0) destroyed(instance, call.duckdb_destroy_error_data, error);
  const value = heap.u32(scratch + 8);
  if (value === 0) return undefined;
  try {
    return use(value);
  } finally {
    destroyed(instance, call.duckdb_destroy_value, value);
  }
}

function textOf({ call, heap }: CppInstance, value: number): string | null {
  if (call.duckdb_is_null_value(value) !== 0) return null;
  const at = call.duckdb_get_varchar(value);
  const text = heap.cString(at);
  call.duckdb_free(at);
  return text;
}

function textsOf(instance: CppInstance, value: number): readonly (string | null)[] {
  const { call } = instance;
  return Array.from({ length: call.duckdb_get_list_size(value) }, (_, index) => {
    const item = call.duckdb_get_list_child(value, index, 0);
    const text = textOf(instance, item);
    destroyed(instance, call.duckdb_destroy_value, item);
    return text;
  });
}

function typeOf(instance: CppInstance, expression: number): ColumnType {
  return takeType(instance, instance.call.duckdb_expression_return_type(expression));
}

/** Destroys an object. The C API takes the address of a variable that holds the object's address. */
function destroyed({ heap, scratch }: CppInstance, destroy: (at: number) => number, object: number): void {
  heap.setU32(scratch + 16, object);
  destroy(scratch + 16);
}
