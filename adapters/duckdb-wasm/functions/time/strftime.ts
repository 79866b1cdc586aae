import { EARLY_NANOSECONDS } from '../../../../src/sql/strftime.ts';
import type { CppInstance } from '../cpp.ts';
import type { Loader } from '../extension-loader.ts';
import { OBJECT, STRFTIME_DATA, TEXT } from '../layout.ts';
import { throwInDuckdb } from '../scalar-function.ts';
import { addOverloads, aroundBind, wrapBind } from './overloads.ts';

/** Makes strftime refuse formats whose texts would show the engine's memory. */
export function guardStrftime(instance: CppInstance, loader: Loader): void {
  const bind = aroundBind(instance, () => (bound) => refuseEarlyNanoseconds(instance, bound));
  loader.functions('strftime', (set) =>
    addOverloads(
      instance,
      (at) => instance.overloads.get('strftime')?.(at) ?? 0,
      set,
      (at) => {
        wrapBind(instance, at, bind);
        return true;
      },
    ),
  );
}

/** Refuses a call of strftime by its bind data, in which DuckDB keeps the format in parts. */
export function refuseEarlyNanoseconds(instance: CppInstance, bound: number): void {
  if (bound === 0 || !hasEarlyNanoseconds(instance, bound)) return;
  const { heap } = instance;
  instance.callAddress(heap.u32(heap.u32(bound) + OBJECT.destroy), bound);
  throwInDuckdb(instance, EARLY_NANOSECONDS);
}

function hasEarlyNanoseconds({ heap }: CppInstance, bound: number): boolean {
  const [first, end] = [heap.u32(bound + STRFTIME_DATA.parts), heap.u32(bound + STRFTIME_DATA.parts + 4)];
  const at = heap.bytes.subarray(first, end).indexOf(STRFTIME_DATA.nanoseconds);
  if (at === -1) return false;
  // A text stands before each part, and one at the end.
  const last = heap.u32(bound + STRFTIME_DATA.texts + 4) - TEXT.bytes;
  return first + at < end - 1 || heap.bytes[last + TEXT.length] !== 0;
}
