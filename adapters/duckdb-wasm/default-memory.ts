/** The default memory limit of an engine in the calling thread, in MiB. */
export const DEFAULT_MEMORY_MB = 64;
