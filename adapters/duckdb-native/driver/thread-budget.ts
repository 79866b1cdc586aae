/** Threads of Node's own pool that statements may hold while they run. */
export interface ThreadBudget {
  /** Takes one and answers what gives it back; null where none is free. */
  take(): (() => void) | null;
}

/** Left to everything else that the process does there: files, names, planning. */
const RESERVED = 2;
const NODE_DEFAULT = 4;

/** As many threads as Node's pool has threads to spare (Node.js, "UV_THREADPOOL_SIZE"). */
export function createThreadBudget(poolSize: string | undefined): ThreadBudget {
  let free = Math.max(1, (Number(poolSize) || NODE_DEFAULT) - RESERVED);
  return {
    take: () => {
      if (free === 0) return null;
      free -= 1;
      return () => {
        free += 1;
      };
    },
  };
}
