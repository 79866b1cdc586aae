import { describe, expect, it } from 'vitest';
import { parseTraceparent, traceIdOf } from '../../src/context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('traceparent', () => {
  it('is read as W3C Trace Context says', () => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      traceFlags: 1,
    });
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-00-later`)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      traceFlags: 0,
    });
    expect(traceIdOf(`00-${TRACE}-${SPAN}-01`)).toBe(TRACE);
    expect(traceIdOf(`00-0${TRACE.slice(2)}0-0${SPAN.slice(2)}0-01`)).toBe(`0${TRACE.slice(2)}0`);
  });

  it.each([
    null,
    '',
    'x',
    `00-${TRACE}-${SPAN}`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `00-${TRACE}-${SPAN}-1`,
  ])('%j is none', (text) => {
    expect(parseTraceparent(text)).toBeNull();
    expect(traceIdOf(text)).toBeNull();
  });
});
