import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { App } from '../../../src/app.ts';
import { traceIdOf } from '../../../src/context.ts';
import type { Log } from '../../../src/ports.ts';
import type { LoggedLevels } from '../../../src/settings/log-level.ts';

/** A log whose lines name their request, and the wrapper that starts a request. */
export interface RequestLog {
  readonly log: Log;
  readonly around: (app: App) => App;
}

/**
 * Adds `request_id` to every log line of a request, and `trace_id` if the caller sent one. A line of its own tells of the
 * request, if the log takes lines of the level debug.
 */
export function createRequestLog(log: Log, levels: LoggedLevels): RequestLog {
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
        if (!levels.has('debug')) return current.run(ids, fetch, request, { ...extra, requestId });
        return current.run(ids, async () => {
          const startedAt = performance.now();
          const response = await fetch(request, { ...extra, requestId });
          const ms = (performance.now() - startedAt).toFixed(1);
          // The query may hold a code or a token, so the path stands alone.
          const { pathname } = new URL(request.url);
          log({
            level: 'debug',
            message: `${request.method} ${pathname} ${response.status} ${ms} ms`,
            fields: ids,
          });
          return response;
        });
      },
    }),
  };
}
