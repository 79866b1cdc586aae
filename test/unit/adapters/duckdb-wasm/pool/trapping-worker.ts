import '../trap.ts';

/* An engine's thread as it is in production, in which one statement traps. */

await import('../../../../../adapters/duckdb-wasm/pool/engine-worker.ts');
