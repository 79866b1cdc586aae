/** A read-only database file, the only file that the engine sees. */
export interface DatabaseFile {
  /** The name in the engine's file system, after which the catalog is named. */
  readonly name: string;
  /**
   * The write-ahead log: committed data that is not in the file yet, if a writer was killed. Its own log has what was
   * committed while a checkpoint wrote the first one into the file.
   */
  readonly wal?: DatabaseFile;
  size(): number;
  /** Reads bytes from a position into the target; returns how many. */
  read(target: Uint8Array, position: number): number;
  /** See `FetchedFile`. */
  readonly want?: FetchedFile['want'];
  readonly fetched?: FetchedFile['fetched'];
  close(): void;
}

/** A database file whose bytes are fetched. */
export interface FetchedFile extends DatabaseFile {
  /**
   * Null if `read` has these bytes now, otherwise a promise of them, which rejects with an SvcError. The bytes may have to
   * be asked for again once the promise has resolved.
   */
  readonly want: (position: number, length: number) => Promise<void> | null;
  /** The requests that fetched bytes of the file so far. */
  readonly fetched: Readonly<Fetched>;
}

/** The object that holds the file has another version than the one that was opened. */
export class ObjectReplaced extends Error {
  override readonly name = 'ObjectReplaced';
}

/** Requests for ranges of a file, and the bytes that they asked for. */
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

/** A fetched file that is opened after its engine is instantiated. */
export class LateFile implements FetchedFile {
  #file: FetchedFile | null = null;

  bind(file: FetchedFile): void {
    this.#file = file;
  }

  get name(): string {
    return this.#opened.name;
  }

  get fetched(): Readonly<Fetched> {
    return this.#opened.fetched;
  }

  readonly want = (position: number, length: number): Promise<void> | null =>
    this.#opened.want(position, length);

  size(): number {
    return this.#opened.size();
  }

  read(target: Uint8Array, position: number): number {
    return this.#opened.read(target, position);
  }

  close(): void {
    this.#file?.close();
  }

  get #opened(): FetchedFile {
    if (this.#file === null) throw new Error('the file is not open yet');
    return this.#file;
  }
}
