import { type Runtime, withLease } from '../call/runtime.ts';
import { SvcError } from '../errors.ts';

const PROBE_MS = 5_000;

/** `GET /health`: the process runs; the answer has its version and the hash of its catalog. */
export function toHealth({ catalog }: Runtime, version: string): Response {
  return Response.json({ status: 'ok', version, hash: catalog.hash });
}

/**
 * `GET /ready`: calls can be recorded, and the database answers a query within 5 seconds. Otherwise it throws
 * audit_unavailable or database_unavailable. The probe writes no record: a failed write is what ends the readiness, and
 * the audit file is tried again until it can be written.
 */
export async function toReadiness(runtime: Runtime, signal: AbortSignal): Promise<Response> {
  runtime.admit?.();
  const probe = { sql: 'SELECT 1 AS ok', values: [], mode: 'read', maxRows: 1 } as const;
  try {
    await withLease(runtime, signal, async (leased) => {
      const database = await leased.database();
      await database.run(probe, { caller: null, signal, timeoutMs: PROBE_MS });
    });
  } catch (cause) {
    throw new SvcError('database_unavailable', 'The readiness probe failed.', { cause });
  }
  return Response.json({ status: 'ready' });
}
