/** A read-only database file, the only file that the engine sees. */
export interface DatabaseFile {
  /** The name in the engine's file system, after which the catalog is named. */
  readonly name: string;
  /** The write-ahead log: committed data that is not in the file yet, if a writer was killed. */
  readonly wal?: DatabaseFile;
  size(): number;
  /** Reads bytes from a position into the target; returns how many. */
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
