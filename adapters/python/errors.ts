import { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';

/** A description of an exception (adapters/python/host/svc/_failure.py). */
interface Described {
  readonly kind: 'raised' | 'refused' | 'function' | 'value' | 'host' | 'outside';
  readonly type: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly traceback: string;
  readonly number: number | null;
}

/** Facts about a failed call. */
export interface FailedCall {
  /** Errors of the call's own requests to the host, by the numbers that Python received. */
  readonly failures: ReadonlyMap<number, SvcError>;
  /** Replaces secrets in a text. */
  readonly conceal: (text: string) => string;
}

/** The facts for a call that made no requests and received no secrets. */
export const NOTHING_KNOWN: FailedCall = { failures: new Map(), conceal: (text) => text };

/** Converts the exception that ended a call. The traceback becomes the cause, which only the log shows. */
export function toPythonError({ error }: JsonObject, { failures, conceal }: FailedCall): SvcError {
  const found = (error ?? {}) as unknown as Partial<Described>;
  const { kind = 'raised', number = null } = found;
  const [message, traceback] = [conceal(found.message ?? ''), conceal(found.traceback ?? '')];
  // The author addresses the client on purpose.
  if (kind === 'refused') return new SvcError('python_refused', message || 'The call was refused.');
  const known = number === null ? undefined : failures.get(number);
  const cause = new Error(traceback.trimEnd(), known === undefined ? {} : { cause: known });
  const text = `${placeOf(found)}${found.type ?? 'Error'}: ${message}`;
  // An error of the host that Python code did not handle keeps its code, for example that of a slow query.
  return new SvcError(known?.code ?? 'python_failed', known === undefined ? text : known.message, { cause });
}

function placeOf({ file, line }: Partial<Described>): string {
  if (typeof file !== 'string') return '';
  return typeof line === 'number' ? `${file}:${line}: ` : `${file}: `;
}
