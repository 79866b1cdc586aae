/** Work of DuckDB's in a thread of the process's pool, for which Node waits before the process ends. */
interface TrackedWork {
  readonly begun: number;
  /** Null: nothing ends it early. */
  readonly interrupt: (() => void) | null;
}

/** A plan that takes longer may take hours. */
const PATIENCE_MS = 1_000;

const underWay = new Set<TrackedWork>();

/** Does work in a thread of the process's pool, which must not keep the process from ending. */
export async function tracked<T>(interrupt: TrackedWork['interrupt'], work: () => Promise<T>): Promise<T> {
  const own = { begun: performance.now(), interrupt };
  underWay.add(own);
  try {
    return await work();
  } finally {
    underWay.delete(own);
  }
}

/** Has the process end when it is to, whatever DuckDB does: `SELECT (SELECT (SELECT ...` is planned for hours. */
export function endProcessInTime(): void {
  process.once('exit', () => {
    for (const { interrupt } of underWay) interrupt?.();
    if ([...underWay].some(isStuck)) process.kill(process.pid, 'SIGKILL');
  });
}

function isStuck({ begun, interrupt }: TrackedWork): boolean {
  return interrupt === null && performance.now() - begun > PATIENCE_MS;
}
