/** A read-only database file, the only file that the engine sees. */
export interface DatabaseFile {
  /** The name in the engine's file system, after which the catalog is named. */
  readonly name: string;
  /** The write-ahead log: committed data that is not in the file yet, if a writer was killed. */
  readonly wal?: DatabaseFile;
  size(): number;
  /** Reads bytes from a position into the target; returns how many. */
  read(target: Uint8Array, position: number): number;
  /**
   * Only of a file whose bytes are fetched: null if `read` has these bytes now, otherwise a promise of them, which rejects
   * with an SvcError. A promise that resolved may have to be asked for again.
   */
  want?(position: number, length: number): Promise<void> | null;
  /** The requests that fetched bytes of the file so far. */
  readonly fetched?: Readonly<Fetched>;
  close(): void;
}

/** Requests for ranges of a file, and the bytes that they brought. */
export interface Fetched {
  ranges: number;
  bytes: number;
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
