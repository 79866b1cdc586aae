/** The threads of Node's pool that statements may occupy. */
export interface ThreadBudget {
  /** Takes a thread and returns the function that gives it back; null if none is free. */
  take(): (() => void) | null;
  /** Waits for a thread, in turn. Null as soon as no thread has come free for a while: then long statements have them. */
  takeSoon(): Promise<(() => void) | null>;
}

/** Threads kept free for files, DNS and planning. */
const RESERVED = 2;
const NODE_DEFAULT = 4;
/** Short statements give their thread back within this time. */
const SOON_MS = 20;

/** Creates a budget of the threads that Node's pool can spare (Node.js, "UV_THREADPOOL_SIZE"). */
export function createThreadBudget(poolSize: string | undefined): ThreadBudget {
  const waiting: ((leave: (() => void) | null) => void)[] = [];
  let free = Math.max(1, (Number(poolSize) || NODE_DEFAULT) - RESERVED);
  let timer: NodeJS.Timeout | null = null;
  /** Whether long statements have all threads. */
  let stuck = false;

  const leave = () => {
    stuck = false;
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next(once(leave));
    if (waiting.length > 0) timer?.refresh();
    else stopTimer();
  };
  const stopTimer = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const giveUp = () => {
    timer = null;
    stuck = true;
    for (const resolve of waiting.splice(0)) resolve(null);
  };
  const take = () => {
    if (free === 0) return null;
    free -= 1;
    return once(leave);
  };
  return {
    take,
    takeSoon: () => {
      const taken = take();
      if (taken !== null || stuck) return Promise.resolve(taken);
      timer ??= setTimeout(giveUp, SOON_MS);
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
  };
}

/** Makes a function that works the first time only. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
