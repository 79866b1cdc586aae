import { SvcError } from '../../src/errors.ts';
import type { LambdaContext } from './platform.ts';

/** Kept back from Lambda's own time limit, so that the client still gets our answer. */
const RESERVE_MS = 500;

/** The cancel signal of one invocation. */
export interface Invocation {
  readonly signal: AbortSignal;
  /** The client is gone: nobody reads the answer. */
  abort(): void;
  /** The answer is out: the deadline no longer matters. */
  close(): void;
}

/** A signal that aborts shortly before Lambda would end the invocation, or when the client leaves. */
export function createInvocation(context: LambdaContext): Invocation {
  const controller = new AbortController();
  const left = Math.max(1, context.getRemainingTimeInMillis() - RESERVE_MS);
  const timer = setTimeout(() => controller.abort(timeIsUp()), left);
  return {
    signal: controller.signal,
    abort: () => controller.abort(),
    close: () => clearTimeout(timer),
  };
}

function timeIsUp(): SvcError {
  return new SvcError('deadline_exceeded', 'The function ran out of time before the call was answered.');
}
