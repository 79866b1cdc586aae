/** The release of `@duckdb/duckdb-wasm` that this project is tested with, and the digest of its `dist/duckdb-eh.wasm`. */
export const PINNED = {
  version: '1.32.0',
  sha256: '4c221bfa59c11f24dbd750e70c90b9252eca6eec5633936e6a2ec766e55fd879',
} as const;
