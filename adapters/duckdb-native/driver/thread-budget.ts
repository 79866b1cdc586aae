/** The threads of Node's pool that statements may occupy. */
export interface ThreadBudget {
  /** Takes a thread and returns the function that gives it back; null if none is free. */
  take(): (() => void) | null;
}

/** Threads kept free for files, DNS and planning. */
const RESERVED = 2;
const NODE_DEFAULT = 4;

/** Creates a budget of the threads that Node's pool can spare (Node.js, "UV_THREADPOOL_SIZE"). */
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
