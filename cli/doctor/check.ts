import { toSvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, tryJson } from '../../src/json.ts';
import { readAtMost } from '../../src/limited-text.ts';

/** The outcome of one check. */
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** Null if there is nothing to fix. */
  readonly fix: string | null;
}

/** A check without a problem. */
export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message, fix: null };
}

/** A check with a risk that the operator may have chosen, and the way to remove it. */
export function warning(name: string, message: string, fix: string): Check {
  return { name, status: 'warning', message, fix };
}

/** A check with a problem, and its fix. */
export function problem(name: string, message: string, fix: string): Check {
  return { name, status: 'problem', message, fix };
}

/** Makes a problem of an error. The first line of its text is the message, the others are the fix. */
export function failed(name: string, thrown: unknown, otherwise: string): Check {
  const [message = '', ...fix] = toSvcError(thrown).message.split('\n');
  return problem(name, message, fix.join(' ').trim() || otherwise);
}

/** The answer of a server. */
export interface DoctorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Milliseconds that its clock is ahead of ours; null if its answer has no date. */
  readonly ahead: number | null;
}

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;

/** Sends a request without following redirects; null if no answer comes, or one that is too large. */
export async function fetchForCheck(url: string, init: RequestInit = {}): Promise<DoctorResponse | null> {
  const sent = Date.now();
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const { status, headers } = response;
    const middle = (sent + Date.now()) / 2;
    const text = await readAtMost(response, MOST_BYTES);
    if (text === null) return null;
    return { status, headers, text, ahead: aheadOf(headers, middle) };
  } catch {
    return null;
  }
}

/** The JSON object of an answer with status 200; null for any other answer. */
export function objectOf(answer: DoctorResponse | null): JsonObject | null {
  if (answer?.status !== 200) return null;
  const value = tryJson(answer.text);
  return isObject(value) ? value : null;
}

/** Describes an answer for people, e.g. `302, to https://...`. */
export function responseText(answer: DoctorResponse | null): string {
  if (answer === null) return 'no answer';
  const location = answer.headers.get('location');
  return location === null ? String(answer.status) : `${answer.status}, to ${location.split('?')[0]}`;
}

function aheadOf(headers: Headers, at: number): number | null {
  const date = Date.parse(headers.get('date') ?? '');
  // the header has whole seconds: on average it is half a second behind
  return Number.isNaN(date) ? null : date + 500 - at;
}
