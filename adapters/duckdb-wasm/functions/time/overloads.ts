import type { CppInstance } from '../cpp.ts';
import { EXPRESSION, FUNCTION_SET, LOGICAL_TYPE, SCALAR_FUNCTION } from '../layout.ts';

/** Adds copies of the chosen overloads of a set that `factory` writes to another set. `choose` may change them. */
export function addOverloads(
  { allocate, call, heap, scratch }: CppInstance,
  factory: (at: number) => number,
  target: number,
  choose: (at: number) => boolean,
): void {
  const source = allocate(FUNCTION_SET.bytes);
  factory(source);
  const first = heap.u32(source + FUNCTION_SET.functions);
  const end = heap.u32(source + FUNCTION_SET.functions + 4);
  for (let at = first; at < end; at += SCALAR_FUNCTION.bytes) {
    if (choose(at)) call.duckdb_add_scalar_function_to_set(target, at);
  }
  heap.setU32(scratch, source);
  call.duckdb_destroy_scalar_function_set(scratch);
}

/** The addresses of a function's parameter types. */
export function typesOf({ heap }: CppInstance, at: number): readonly number[] {
  const first = heap.u32(at + SCALAR_FUNCTION.takes);
  const count = (heap.u32(at + SCALAR_FUNCTION.takes + 4) - first) / LOGICAL_TYPE.bytes;
  return Array.from({ length: count }, (_, index) => first + index * LOGICAL_TYPE.bytes);
}

/** The addresses of the types of a call's arguments. */
export function expressionTypes({ heap }: CppInstance, expressions: number): readonly number[] {
  const [first, end] = [heap.u32(expressions), heap.u32(expressions + 4)];
  return Array.from(
    { length: (end - first) / 4 },
    (_, index) => heap.u32(first + index * 4) + EXPRESSION.type,
  );
}

/** Runs before DuckDB binds a call; the returned function runs afterwards, with the address of the bind data; 0 if DuckDB failed. */
export type Around = (expressions: number, context: number, callee: number) => (bound: number) => void;

/** Returns a function that wraps DuckDB's bind functions, by their addresses. */
export function aroundBind(instance: CppInstance, around: Around): (original: number) => number {
  const made = new Map<number, number>();
  const make = (original: number): number =>
    instance.addCallback('bindCall', (context, callee, expressions) => {
      const after = around(expressions, context, callee);
      let bound = 0;
      try {
        bound = instance.callAddress(original, context, callee, expressions);
      } finally {
        after(bound);
      }
      return bound;
    });
  return (original) => {
    const known = made.get(original) ?? make(original);
    made.set(original, known);
    return known;
  };
}

/** Wraps the bind function of an overload, if it has one. */
export function wrapBind({ heap }: CppInstance, at: number, bind: (original: number) => number): void {
  const original = heap.u32(at + SCALAR_FUNCTION.bind);
  if (original !== 0) heap.setU32(at + SCALAR_FUNCTION.bind, bind(original));
}
