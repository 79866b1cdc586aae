import type { CppInstance } from '../cpp.ts';
import { EXPRESSION, FUNCTION_SET, LOGICAL_TYPE, SCALAR_FUNCTION } from '../layout.ts';

/** Moves the chosen overloads of a set that `factory` writes into another, empty set. `choose` may change them. */
export function moveOverloads(
  instance: CppInstance,
  factory: (at: number) => number,
  target: number,
  choose: (at: number) => boolean,
): void {
  const { heap, allocate } = instance;
  const source = allocate(FUNCTION_SET.bytes);
  factory(source);
  const first = heap.u32(source + FUNCTION_SET.functions);
  const end = heap.u32(source + FUNCTION_SET.functions + 4);
  const size = SCALAR_FUNCTION.bytes;
  const all = Array.from({ length: (end - first) / size }, (_, index) => first + index * size);
  const chosen = all.filter(choose);
  const room = allocate(Math.max(1, chosen.length) * size);
  chosen.forEach((at, index) => {
    move(instance, at, room + index * size);
  });
  const last = room + chosen.length * size;
  heap.words(target + FUNCTION_SET.functions, [room, last, last]);
}

/** Moves a ScalarFunction. Its pointer into itself is adjusted; the original is never used again. */
function move({ heap }: CppInstance, from: number, to: number): void {
  heap.bytes.copyWithin(to, from, from + SCALAR_FUNCTION.bytes);
  if (heap.u32(to + SCALAR_FUNCTION.callee) === from + SCALAR_FUNCTION.callable) {
    heap.setU32(to + SCALAR_FUNCTION.callee, to + SCALAR_FUNCTION.callable);
  }
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

/** Runs before DuckDB binds a call; the returned function runs afterwards. */
export type Around = (expressions: number, context: number, callee: number) => () => void;

/** Returns a function that wraps DuckDB's bind functions, by their addresses. */
export function aroundBind(instance: CppInstance, around: Around): (original: number) => number {
  const made = new Map<number, number>();
  const make = (original: number): number =>
    instance.addCallback('bindCall', (context, callee, expressions) => {
      const after = around(expressions, context, callee);
      try {
        return instance.callAddress(original, context, callee, expressions);
      } finally {
        after();
      }
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
