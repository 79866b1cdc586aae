import { describe, expect, it } from 'vitest';
import { logIdsOf } from '../../../src/context.ts';
import { SvcError } from '../../../src/errors.ts';
import { logFailure } from '../../../src/mcp/errors.ts';
import type { LogLine } from '../../../src/ports.ts';

const TRACE = 'a'.repeat(32);

describe('a line of the log about a request', () => {
  it('names the request, and its trace where there is one', () => {
    expect(logIdsOf({ requestId: 'r', traceparent: null })).toEqual({ request_id: 'r' });
    expect(logIdsOf({ requestId: 'r', traceparent: 'nonsense' })).toEqual({ request_id: 'r' });
    const traceparent = `00-${TRACE}-${'b'.repeat(16)}-01`;
    expect(logIdsOf({ requestId: 'r', traceparent })).toEqual({ request_id: 'r', trace_id: TRACE });
  });

  it('does so for a failure, whatever the platform', () => {
    const lines: LogLine[] = [];
    const runtime = { log: (line: LogLine) => lines.push(line) } as unknown as Parameters<
      typeof logFailure
    >[0];
    const traceparent = `00-${TRACE}-${'b'.repeat(16)}-01`;
    const context = { requestId: 'r', traceparent, headers: () => null, user: null };
    logFailure(
      runtime,
      { method: 'tools/call', entry: { name: 't', parameters: [] } as never, args: {}, context },
      new SvcError('internal', 'boom'),
    );
    expect(lines).toMatchObject([
      { level: 'error', fields: { request_id: 'r', trace_id: TRACE, error_id: 'r', endpoint: 't' } },
    ]);
  });
});
