import { describe, expect, it } from 'vitest';
import { type Caller, toRequestContext } from '../../../src/mcp/context.ts';

const caller: Caller = {
  requestId: 'r1',
  transport: 'http',
  user: null,
  headers: () => new Map([['host', 'localhost']]),
  sessionId: null,
  traceparent: 'from-header',
  signal: new AbortController().signal,
};

describe('toRequestContext', () => {
  it('is frozen and says who called', () => {
    const context = toRequestContext(caller, undefined);
    expect(Object.isFrozen(context)).toBe(true);
    expect(context).toMatchObject({ requestId: 'r1', transport: 'http', user: null, sessionId: null });
    expect(context.headers()?.get('host')).toBe('localhost');
  });

  it('has no getter, which would keep the request in memory', () => {
    const context = toRequestContext(caller, undefined);
    const getters = Object.entries(Object.getOwnPropertyDescriptors(context)).filter(([, { get }]) => get);
    expect(getters).toEqual([]);
  });

  // Requirements: modern.trace
  it('takes the trace of the message before that of the connection', () => {
    expect(toRequestContext(caller, { traceparent: 'from-meta' }).traceparent).toBe('from-meta');
    expect(toRequestContext(caller, { traceparent: 5 }).traceparent).toBe('from-header');
    expect(toRequestContext(caller, undefined).traceparent).toBe('from-header');
  });

  it('reads the headers only when somebody asks', () => {
    const untouched = { ...caller, headers: () => expect.unreachable() };
    expect(toRequestContext(untouched, undefined).requestId).toBe('r1');
  });
});
