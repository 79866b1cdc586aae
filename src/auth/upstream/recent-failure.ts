import { type ErrorCode, type SvcError, toSvcError } from '../../errors.ts';

/** Milliseconds for which a failure is repeated in place of a further request. */
const FAILED_MS = 5_000;
/** Errors that hold for every request to the server, not only for the one that met them. */
const OF_THE_SERVER: readonly ErrorCode[] = ['login_unavailable', 'config_invalid'];

/**
 * Returns a function that asks a server unless it failed in the last seconds. Then it throws that failure again, so that many
 * requests make one.
 */
export function createRecentFailure(now: () => number): <T>(ask: () => Promise<T>) => Promise<T> {
  let last: { readonly until: number; readonly error: SvcError } | null = null;
  return async (ask) => {
    if (last !== null && now() < last.until) throw last.error;
    try {
      return await ask();
    } catch (thrown) {
      const error = toSvcError(thrown);
      if (OF_THE_SERVER.includes(error.code)) last = { until: now() + FAILED_MS, error };
      throw error;
    }
  };
}
