import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { App } from '../../../src/app.ts';
import { traceIdOf } from '../../../src/context.ts';
import type { Log } from '../../../src/ports.ts';

/** A log whose lines name the request that they belong to, and the app whose requests these are. */
export interface RequestLog {
  readonly log: Log;
  readonly around: (app: App) => App;
}

/** Puts `request_id`, and the `trace_id` of a caller that sends one, on every line of a request. */
export function createRequestLog(log: Log): RequestLog {
  const current = new AsyncLocalStorage<{ readonly request_id: string; readonly trace_id?: string }>();
  return {
    log: (line) => {
      const ids = current.getStore();
      log(ids === undefined ? line : { ...line, fields: { ...ids, ...line.fields } });
    },
    around: ({ fetch, ...app }) => ({
      ...app,
      fetch: (request, extra) => {
        const requestId = randomUUID();
        const traceId = traceIdOf(request.headers.get('traceparent'));
        const ids = { request_id: requestId, ...(traceId === null ? {} : { trace_id: traceId }) };
        return current.run(ids, () => fetch(request, { ...extra, requestId }));
      },
    }),
  };
}
