import type { Span, Spans } from '../ports.ts';

const NO_SPAN: Span = { traceId: null, set() {}, span: (_name, _attributes, run) => run(NO_SPAN) };

/** Spans for a server without telemetry: they record nothing. */
export const NO_SPANS: Spans = { trace: (_name, _attributes, _parent, run) => run(NO_SPAN) };
