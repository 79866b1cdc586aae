/** DuckDB work on a thread of Node's pool. Node cannot exit before it ends. */
interface TrackedWork {
  readonly begun: number;
  /** Interrupts the work; null if nothing can. */
  readonly interruption: Interruption | null;
}

/** The way to interrupt work, and the time at which it was interrupted first, by `performance.now()`. */
export interface Interruption {
  readonly interrupt: () => void;
  readonly since: () => number | null;
}

/** Planning that takes longer than this may take hours, and interrupted work may wait for a network. */
const PATIENCE_MS = 1_000;

const underWay = new Set<TrackedWork>();

/** Runs DuckDB work, and remembers it until it ends, so that an exiting process need not wait for it. */
export async function tracked<T>(interruption: Interruption | null, work: () => Promise<T>): Promise<T> {
  const own = { begun: performance.now(), interruption };
  underWay.add(own);
  try {
    return await work();
  } finally {
    underWay.delete(own);
  }
}

/** Ends the process when it exits: running statements are interrupted, and work that nothing ends is killed. */
export function endProcessInTime(): void {
  process.once('exit', () => {
    for (const { interruption } of underWay) interruption?.interrupt();
    if ([...underWay].some(isStuck)) process.kill(process.pid, 'SIGKILL');
  });
}

function isStuck({ begun, interruption }: TrackedWork): boolean {
  const since = interruption === null ? begun : interruption.since();
  return since !== null && performance.now() - since > PATIENCE_MS;
}
