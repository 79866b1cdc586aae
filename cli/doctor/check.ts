import { toSvcError } from '../../src/errors.ts';

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
