/** The release of `@duckdb/duckdb-wasm` that this project is tested with, and the digest of its `dist/duckdb-eh.wasm`. */
export const PINNED = {
  version: '1.33.1-dev64.0',
  sha256: 'eeb5715f4eaa81646188ec6ad17c19548779822d2f2100445ee5f4ba22d7c1e5',
} as const;
