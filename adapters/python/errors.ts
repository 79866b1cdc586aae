import { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import { createHiddenTexts } from '../../src/redaction/hidden-texts.ts';
import { cutText } from '../../src/redaction/redact.ts';

/** The most characters of an exception's text that clients and the log get. */
const MAX_TEXT = 4_000;
/** The most characters of a traceback in the log. */
const MAX_TRACE = 16_000;

/** A description of an exception (adapters/python/host/svc/_failure.py). */
interface Described {
  readonly kind: 'raised' | 'refused' | 'function' | 'value' | 'large' | 'host' | 'outside';
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
  /** Sensitive arguments and credentials of the call; see `PrintedOptions`. */
  readonly hidden: readonly string[];
}

/** The facts for a call that made no requests and received no secrets. */
export const NOTHING_KNOWN: FailedCall = { failures: new Map(), conceal: (text) => text, hidden: [] };

/**
 * Converts the exception that ended a call. The traceback becomes the cause, which only the log shows. Halves of surrogate
 * pairs, as in names of files, become U+FFFD: strict JSON parsers refuse a message that has one.
 */
export function toPythonError({ error }: JsonObject, { failures, conceal, hidden }: FailedCall): SvcError {
  const found = (error ?? {}) as unknown as Partial<Described>;
  const { kind = 'raised', number = null } = found;
  const { remove } = createHiddenTexts(hidden);
  /** Removes arguments only from a text that is cut: the log removes them from a whole one, and clients may read their own. */
  const cut = (text: string, limit: number, shorten: typeof cutText) => {
    const open = conceal(text).toWellFormed();
    return open.length > limit ? shorten(remove(open), limit) : open;
  };
  const message = cut(found.message ?? '', MAX_TEXT, cutText);
  const traceback = cut(found.traceback ?? '', MAX_TRACE, cutMiddle);
  // The author addresses the client on purpose.
  if (kind === 'refused') return new SvcError('python_refused', message || 'The call was refused.');
  if (kind === 'large') return new SvcError('result_too_large', message);
  const known = number === null ? undefined : failures.get(number);
  const cause = new Error(traceback.trimEnd(), known === undefined ? {} : { cause: known });
  const text = `${placeOf(found)}${found.type ?? 'Error'}: ${message}`.toWellFormed();
  // An error of the host that Python code did not handle keeps its code, for example that of a slow query.
  return new SvcError(known?.code ?? 'python_failed', known === undefined ? text : known.message, { cause });
}

/** Leaves out the middle of a text: a traceback begins with the outermost call and ends with the exception. */
function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit / 2)}\n...\n${text.slice(-limit / 2)}`.toWellFormed();
}

function placeOf({ file, line }: Partial<Described>): string {
  if (typeof file !== 'string') return '';
  return typeof line === 'number' ? `${file}:${line}: ` : `${file}: `;
}
