/** The default memory limit of an engine in the calling thread, in MiB. */
export const DEFAULT_MEMORY_MB = 64;

/** The default of each engine of a pool. */
export const POOL_MEMORY_MB = 512;

/** The default of an engine that reads its database by ranges on Node or Lambda. */
export const REMOTE_MEMORY_MB = 256;
