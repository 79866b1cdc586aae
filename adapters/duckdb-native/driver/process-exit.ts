/** DuckDB work on a thread of Node's pool. Node cannot exit before it ends. */
interface TrackedWork {
  readonly begun: number;
  /** Interrupts the work; null if nothing can. */
  readonly interrupt: (() => void) | null;
}

/** Planning that takes longer than this may take hours. */
const PATIENCE_MS = 1_000;

const underWay = new Set<TrackedWork>();

/** Runs DuckDB work, and remembers it until it ends, so that an exiting process need not wait for it. */
export async function tracked<T>(interrupt: TrackedWork['interrupt'], work: () => Promise<T>): Promise<T> {
  const own = { begun: performance.now(), interrupt };
  underWay.add(own);
  try {
    return await work();
  } finally {
    underWay.delete(own);
  }
}

/** Ends the process when it exits: running statements are interrupted, and planning, which may take hours, is killed. */
export function endProcessInTime(): void {
  process.once('exit', () => {
    for (const { interrupt } of underWay) interrupt?.();
    if ([...underWay].some(isStuck)) process.kill(process.pid, 'SIGKILL');
  });
}

function isStuck({ begun, interrupt }: TrackedWork): boolean {
  return interrupt === null && performance.now() - begun > PATIENCE_MS;
}
