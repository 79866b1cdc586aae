import { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';

/** An exception as Python describes it (adapters/python/host/svc/_failure.py). */
interface Described {
  readonly kind: 'raised' | 'refused' | 'function' | 'value' | 'host' | 'outside';
  readonly type: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly traceback: string;
  readonly number: number | null;
}

/** What is known about a call that failed. */
export interface FailedCall {
  /** Failures of what was asked, by the numbers that Python was told. */
  readonly failures: ReadonlyMap<number, SvcError>;
  /** Takes secrets out of a text. */
  readonly conceal: (text: string) => string;
}

/** Nothing was asked, and no secret given. */
export const NOTHING_KNOWN: FailedCall = { failures: new Map(), conceal: (text) => text };

/** The error of a call that an exception ended; the log gets the traceback as its cause. */
export function toPythonError({ error }: JsonObject, { failures, conceal }: FailedCall): SvcError {
  const found = (error ?? {}) as unknown as Partial<Described>;
  const { kind = 'raised', number = null } = found;
  const [message, traceback] = [conceal(found.message ?? ''), conceal(found.traceback ?? '')];
  // What the author tells the client on purpose.
  if (kind === 'refused') return new SvcError('python_refused', message || 'The call was refused.');
  const known = number === null ? undefined : failures.get(number);
  const cause = new Error(traceback.trimEnd(), known === undefined ? {} : { cause: known });
  const text = `${placeOf(found)}${found.type ?? 'Error'}: ${message}`;
  // What the author left to the caller is still what it was: a query that took too long, say.
  return new SvcError(known?.code ?? 'python_failed', known === undefined ? text : known.message, { cause });
}

function placeOf({ file, line }: Partial<Described>): string {
  if (typeof file !== 'string') return '';
  return typeof line === 'number' ? `${file}:${line}: ` : `${file}: `;
}
