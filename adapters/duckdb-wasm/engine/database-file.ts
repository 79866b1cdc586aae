/** What the engine can see: a database file, read-only. */
export interface DatabaseFile {
  /** What the engine calls it; the catalog is named after it. */
  readonly name: string;
  /** What was committed but is not in the file yet; left behind by a writer that was stopped hard. */
  readonly wal?: DatabaseFile;
  size(): number;
  /** Fills the target from a position; answers how many bytes there were. */
  read(target: Uint8Array, position: number): number;
  close(): void;
}

/** A database held in memory; only the blocks a query touches are copied into the engine. */
export function bytesFile(bytes: Uint8Array, name = 'data.duckdb'): DatabaseFile {
  return {
    name,
    size: () => bytes.length,
    read(target, position) {
      const part = bytes.subarray(position, position + target.length);
      target.set(part);
      return part.length;
    },
    close() {},
  };
}
