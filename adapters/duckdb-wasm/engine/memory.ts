/*
 * Figures that the pinned engine's linker decided. scripts/build-wasm.ts checks them against the package, and
 * scripts/bump.ts writes them.
 */

const PAGE_BYTES = 65_536;

/** The address of the engine's static data, and its size in bytes. */
export const DATA = { start: 1024, bytes: 2_647_220 } as const;

/** The engine's function table: its slots, the empty one at 0 included. */
export const TABLE_SLOTS = 25_651;

/** Four times the stock engine's stack: deep expressions must reach JavaScript's stack limit before they overwrite data. */
const STACK_BYTES = 64 * PAGE_BYTES;

const aligned = (address: number): number => Math.ceil(address / 16) * 16;

const STACK_LOW = aligned(DATA.start + DATA.bytes);

/** The stack grows down from `high`. The heap begins at `high`. */
export const STACK = { low: STACK_LOW, high: STACK_LOW + STACK_BYTES } as const;

/** Memory comes in pages: how large they are, how many the engine starts with, how many a megabyte has. */
export const MEMORY = { pageBytes: PAGE_BYTES, initialPages: 256, pagesPerMb: 16 } as const;
