import { C_API } from '../../adapters/duckdb-wasm/engine/c-api.ts';
import {
  CPP,
  OVERLOADS_PREFIX,
  TIMESTAMP_FUNCTIONS,
} from '../../adapters/duckdb-wasm/functions/cpp-symbols.ts';

/** The exports of the engine that the build keeps, and the names it gives them; it removes all others. */
export const EXPORTS: ReadonlyMap<string, string> = new Map([
  ...C_API.map((name) => [name, name] as const),
  ...Object.entries(CPP).map(([name, symbol]) => [symbol, name] as const),
  ...Object.entries(TIMESTAMP_FUNCTIONS).map(
    ([names, symbol]) => [symbol, OVERLOADS_PREFIX + names] as const,
  ),
]);

const ALLOCATOR = 'orig$_ZN6duckdb9Allocator';

/** The functions that allocate a size which DuckDB calculates in 64 bits, with the index of that parameter. */
export const GUARDED: ReadonlyMap<string, number> = new Map([
  [`${ALLOCATOR}15DefaultAllocateEPNS_20PrivateAllocatorDataEy`, 1],
  [`${ALLOCATOR}17DefaultReallocateEPNS_20PrivateAllocatorDataEPhyy`, 3],
]);
