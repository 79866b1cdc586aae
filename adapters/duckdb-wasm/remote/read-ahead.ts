/** The blocks of each column in the order of its rows. `svc build` reads them from `pragma_storage_info`. */
export type ColumnBlocks = readonly (readonly number[])[];

/** Returns the blocks that a scan will probably read after this one, the next one first. */
export type ReadAhead = (block: number) => readonly number[];

/** The steps from a block of a column to its next one after which a scan is expected. */
const STEPS = 2;
/** The most blocks to fetch ahead of one column. */
const DEPTH = 4;

/**
 * Watches for scans: after three consecutive blocks of a column's list, it names the ones behind them. A lookup reads
 * single blocks. Two lookups may read two consecutive ones, so that two are no scan yet.
 */
export function createReadAhead(columns: ColumnBlocks): ReadAhead {
  const places = new Map<number, { readonly column: number; readonly at: number }[]>();
  columns.forEach((blocks, column) => {
    blocks.forEach((block, at) => {
      places.set(block, [...(places.get(block) ?? []), { column, at }]);
    });
  });
  const last = new Map<number, { readonly at: number; readonly steps: number }>();
  return (block) => {
    const next = new Set<number>();
    for (const { column, at } of places.get(block) ?? []) {
      const before = last.get(column);
      // The same block may be asked for several times.
      const same = before?.at === at ? before.steps : 0;
      const steps = before?.at === at - 1 ? before.steps + 1 : same;
      last.set(column, { at, steps });
      const ahead = steps >= STEPS ? (columns[column] ?? []).slice(at + 1, at + 1 + DEPTH) : [];
      for (const following of ahead) next.add(following);
    }
    return [...next];
  };
}

/** The lists as the manifest has them: each number is the distance from the one before. */
export function packColumns(columns: ColumnBlocks): readonly (readonly number[])[] {
  return columns.map((blocks) => blocks.map((block, at) => block - (blocks[at - 1] ?? 0)));
}

/** Undoes `packColumns`. */
export function unpackColumns(packed: readonly (readonly number[])[]): ColumnBlocks {
  return packed.map((steps) => {
    let block = 0;
    return steps.map((step) => {
      block += step;
      return block;
    });
  });
}
