import type { Log, Span, SpanAttributes, Spans } from '../../src/ports.ts';

/**
 * Logs every span at its end, with its time and attributes, at the level debug. Attributes hold hashes, names and counts, never
 * a value of a caller.
 */
export function logSpans(spans: Spans, log: Log): Spans {
  return {
    trace: (name, attributes, parent, run) =>
      spans.trace(name, attributes, parent, (span) => timed(log, { name, attributes }, span, run)),
  };
}

interface Named {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

async function timed<T>(
  log: Log,
  { name, attributes }: Named,
  inner: Span,
  run: (span: Span) => Promise<T>,
): Promise<T> {
  let known = attributes;
  const startedAt = performance.now();
  const logged: Span = {
    traceId: inner.traceId,
    set: (more) => {
      known = { ...known, ...more };
      inner.set(more);
    },
    span: (child, own, work) =>
      inner.span(child, own, (span) => timed(log, { name: child, attributes: own }, span, work)),
  };
  try {
    return await run(logged);
  } finally {
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    log({ level: 'debug', message: `${name} ${ms} ms`, fields: { ...known } });
  }
}
