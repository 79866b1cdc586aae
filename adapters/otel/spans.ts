import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { parseTraceparent } from '../../src/context.ts';
import { toSvcError } from '../../src/errors.ts';
import type { Span, SpanAttributes, Spans } from '../../src/ports.ts';
import { allowedAttributes } from '../../src/telemetry/allowed.ts';

interface Opening {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly kind: SpanKind;
}

/**
 * Creates the Spans port over OpenTelemetry. Parents are passed down explicitly, so concurrent calls cannot
 * mix.
 */
export function createSpans(tracer: Tracer): Spans {
  return {
    trace: (name, attributes, parent, run) =>
      open(tracer, contextOf(parent), { name, attributes, kind: SpanKind.SERVER }, run),
  };
}

async function open<T>(
  tracer: Tracer,
  context: Context,
  { name, attributes, kind }: Opening,
  run: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, { kind, attributes: allowedAttributes(name, attributes) }, context);
  const within = trace.setSpan(context, span);
  try {
    return await run({
      traceId: span.spanContext().traceId,
      set: (more) => void span.setAttributes(allowedAttributes(name, more)),
      span: (child, own, work) =>
        open(tracer, within, { name: child, attributes: own, kind: SpanKind.INTERNAL }, work),
    });
  } catch (thrown) {
    const { code } = toSvcError(thrown);
    // Only the code is recorded: an error's text may quote the caller's input. A call that asks for answers has not failed.
    if (code !== 'input_required') span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    throw thrown;
  } finally {
    span.end();
  }
}

function contextOf(traceparent: string | null): Context {
  const parent = parseTraceparent(traceparent);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}
