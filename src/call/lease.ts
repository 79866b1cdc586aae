import { cancelledError } from '../errors.ts';
import type { Runtime } from './runtime.ts';

/** The parts of a runtime that a reload exchanges. */
export type LeasedParts = Pick<Runtime, 'database' | 'python'>;

/** The hold of one request on the database and the Python, with their settings, that were in use when it entered. */
export interface Lease {
  readonly parts: LeasedParts;
  /** Rejects if the server ends before the request does; never settles otherwise. */
  readonly over: Promise<never>;
  /** Gives the parts back. Those that a reload has replaced are closed after their last request. */
  release(): void;
}

/**
 * Runs one request on the parts that are in use now, whatever a reload does meanwhile. Throws the reason if the server
 * ends before the request does. Work inside a request shares its lease.
 *
 *     await withLease(runtime, signal, async (leased) => (await leased.database()).run(request, call));
 */
export async function withLease<T>(
  runtime: Runtime,
  signal: AbortSignal,
  work: (leased: Runtime) => Promise<T>,
): Promise<T> {
  const { lease, ...own } = runtime;
  if (lease === undefined) return work(runtime);
  if (signal.aborted) throw cancelledError();
  const { parts, over, release } = lease();
  try {
    return await Promise.race([work({ ...own, ...parts }), over]);
  } finally {
    release();
  }
}
