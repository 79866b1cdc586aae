import { type HrTime, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** Writes a line of text. It must not be stdout if stdout carries the protocol. */
export type WriteSpanLine = (line: string) => void;

/** Creates an exporter that writes a JSON line for each span (`telemetry.tracing.console_export`). */
export function createConsoleExporter(write: WriteSpanLine): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) write(JSON.stringify(toLine(span)));
      done({ code: 0 });
    },
    async shutdown() {},
  };
}

function toLine(span: ReadableSpan) {
  const { traceId, spanId } = span.spanContext();
  const failed = span.status.code === SpanStatusCode.ERROR;
  return {
    span: span.name,
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: span.parentSpanContext?.spanId ?? null,
    start: new Date(toMs(span.startTime)).toISOString(),
    duration_ms: toMs(span.duration),
    status: failed ? (span.status.message ?? 'error') : 'ok',
    attributes: span.attributes,
  };
}

function toMs([seconds, nanoseconds]: HrTime): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
