import { toSvcError } from '../../src/errors.ts';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'problem';
  readonly message: string;
  /** Null: there is nothing to do. */
  readonly fix: string | null;
}

/** What is as it should be. */
export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message, fix: null };
}

/** What breaks clients, and what to do about it. */
export function problem(name: string, message: string, fix: string): Check {
  return { name, status: 'problem', message, fix };
}

/** What was thrown, as a problem: its first line says what, the others how to fix it. */
export function failed(name: string, thrown: unknown, otherwise: string): Check {
  const [message = '', ...fix] = toSvcError(thrown).message.split('\n');
  return problem(name, message, fix.join(' ').trim() || otherwise);
}
