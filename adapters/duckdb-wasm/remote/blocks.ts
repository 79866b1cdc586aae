/** The bytes before DuckDB's first block: three headers. */
const HEADERS = 12_288;
/** The bytes of a block after the headers, which are those of DuckDB's largest blocks. */
export const BLOCK_BYTES = 262_144;
const DIGEST = 32;

/**
 * A file cut into numbered blocks: number 0 is its headers, and each other one holds one of DuckDB's blocks, or several if
 * the database has smaller ones (`BLOCK_SIZE`). DuckDB reads block by block, so that one of its reads needs one range.
 */
export interface BlockLayout {
  readonly count: number;
  /** The first byte of a block and the byte after its last. */
  range(block: number): { readonly start: number; readonly end: number };
  /** The blocks that hold these bytes, in order. */
  holding(position: number, length: number): readonly number[];
}

/** The layout of a database file of a size in bytes. */
export function layoutOf(size: number): BlockLayout {
  const blockAt = (position: number): number =>
    position < HEADERS ? 0 : 1 + Math.floor((position - HEADERS) / BLOCK_BYTES);
  return {
    count: size === 0 ? 0 : 1 + blockAt(size - 1),
    range(block) {
      const start = block === 0 ? 0 : HEADERS + (block - 1) * BLOCK_BYTES;
      return { start, end: Math.min(size, block === 0 ? HEADERS : start + BLOCK_BYTES) };
    },
    holding(position, length) {
      const end = Math.min(size, position + length);
      if (end <= position) return [];
      const first = blockAt(position);
      return Array.from({ length: blockAt(end - 1) - first + 1 }, (_, index) => first + index);
    },
  };
}

/** The number of the block with DuckDB's block of an id, for a database whose blocks have a size in bytes. */
export function blockOfId(id: number, size: number): number {
  return 1 + Math.floor((id * size) / BLOCK_BYTES);
}

/** SHA-256 of every block, one after the other. */
export interface BlockDigests {
  /** Throws if the bytes are not those of the block. */
  check(block: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** Digests as the manifest has them. */
export function blockDigests(digests: Uint8Array): BlockDigests {
  return {
    async check(block, bytes) {
      const found = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      const start = block * DIGEST;
      if (start + DIGEST <= digests.length && found.every((byte, index) => byte === digests[start + index]))
        return;
      throw new Error(`block ${block} has other bytes than the artefact was built with`);
    },
  };
}
