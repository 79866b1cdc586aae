import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '../../src/ports.ts';
import type { InvocationIds, InvocationScope } from './handler.ts';

/** The function's log and the scope that puts an invocation's ids on its lines. */
export interface LambdaLog {
  readonly log: Log;
  readonly scope: InvocationScope;
}

/** A log of one JSON object a line on stdout, where CloudWatch takes it. */
export function createLambdaLog(write: (line: string) => void): LambdaLog {
  const current = new AsyncLocalStorage<InvocationIds>();
  return {
    scope: (ids, run) => current.run(ids, run),
    log: ({ level, message, fields }) => {
      const ids = current.getStore();
      const named = ids && { aws_request_id: ids.awsRequestId, http_request_id: ids.httpRequestId };
      write(JSON.stringify({ level, message, ...named, ...fields }));
    },
  };
}
