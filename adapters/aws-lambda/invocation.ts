import { AsyncLocalStorage } from 'node:async_hooks';
import { SvcError } from '../../src/errors.ts';
import { jsonLine } from '../../src/one-line.ts';
import type { Log } from '../../src/ports.ts';
import type { Telemetry } from '../otel/telemetry.ts';

/** The parts we use of the context that Lambda passes with an event. */
export interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** Lambda's id of the invocation and the gateway's id of the HTTP request. */
export interface InvocationIds {
  readonly awsRequestId: string;
  readonly httpRequestId: string | null;
}

/** Runs the work of an invocation so that its log lines carry the ids. `left` returns the milliseconds that remain. */
export type InvocationScope = <T>(
  ids: InvocationIds,
  run: () => Promise<T>,
  left: () => number,
) => Promise<T>;

/** A log and the scope that adds the ids of an invocation to its lines. */
export interface LambdaLog {
  readonly log: Log;
  readonly scope: InvocationScope;
}

/** Creates a log that writes one JSON object a line; CloudWatch collects them from stdout. */
export function createLambdaLog(write: (line: string) => void): LambdaLog {
  const current = new AsyncLocalStorage<InvocationIds>();
  return {
    scope: (ids, run) => current.run(ids, run),
    log: ({ level, message, fields }) => {
      const ids = current.getStore();
      const named = ids && { aws_request_id: ids.awsRequestId, http_request_id: ids.httpRequestId };
      write(jsonLine({ level, message, ...named, ...fields }));
    },
  };
}

/** The cancel signal of one invocation. */
export interface Invocation {
  readonly signal: AbortSignal;
  /** Aborts the signal, because the client has left. */
  abort(): void;
  /** Stops the timer, because the response is complete. */
  close(): void;
}

/** We abort a call this long before Lambda's own time limit, so that the client still receives our error. */
const ANSWER_MS = 500;

/** Creates a signal that aborts with `deadline_exceeded` shortly before Lambda would end the invocation. */
export function createInvocation(context: LambdaContext): Invocation {
  const controller = new AbortController();
  const left = Math.max(1, context.getRemainingTimeInMillis() - ANSWER_MS);
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

/** Lambda keeps this time for itself: a slow collector must not turn an answered invocation into a failed one. */
const FREEZE_MS = 100;

/** Sends the telemetry of an invocation within the time that it has left. Lambda freezes the function afterwards. */
export async function flushWithin(telemetry: Telemetry | null, leftMs: number): Promise<void> {
  const ms = leftMs - FREEZE_MS;
  if (telemetry === null || ms <= 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([telemetry.flush(), over]).finally(() => clearTimeout(timer));
}
