import { type AuditRecord, toAuditRecord } from '../audit/record.ts';
import type { CallObserver } from '../call/call-record.ts';
import type { Span, SpanAttributes, Spans } from '../ports.ts';
import type { Conceal } from '../redaction/redact.ts';
import { allowedAttributes } from '../telemetry/allowed.ts';

const CALLS = 200;

/** One step of a call: `depth` counts from the root, times are milliseconds. */
type SpanLine = {
  readonly name: string;
  readonly depth: number;
  /** Since the call began. */
  readonly start_ms: number;
  readonly duration_ms: number;
  readonly attributes: SpanAttributes;
};

/** An ended call: its audit record, without the result, and the steps that it took. */
export type LiveCall = { readonly record: AuditRecord; readonly spans: readonly SpanLine[] };

/** The latest calls in memory, for the page that shows them. */
export interface LiveCalls {
  readonly observe: CallObserver;
  /** Records the steps of calls beside the server's own spans. */
  spans(inner: Spans): Spans;
  /** The latest calls, newest first. */
  recent(): readonly LiveCall[];
  /** Receives each call when it ends, until the returned function is called. */
  subscribe(listener: (call: LiveCall) => void): () => void;
}

/** The parts that live calls need. */
interface LiveCallsOptions {
  /** Whether calls are kept even while no page shows them, as `svc dev` does. */
  readonly always: boolean;
  /** Whether records contain the arguments of calls. */
  readonly inputs: boolean;
  readonly conceal: Conceal;
}

/** Keeps the latest calls while a page shows them. Otherwise a call costs nothing more. */
export function createLiveCalls({ always, inputs, conceal }: LiveCallsOptions): LiveCalls {
  const calls: LiveCall[] = [];
  /** The steps of each call, by its root span. */
  const timelines = new WeakMap<Span, readonly SpanLine[]>();
  const listeners = new Set<(call: LiveCall) => void>();
  const watched = () => always || listeners.size > 0;
  return {
    observe: (call) => {
      if (!watched()) return;
      const record = toAuditRecord(call, { inputs, outputs: false, conceal });
      const live = { record, spans: (call.span && timelines.get(call.span)) ?? [] };
      calls.unshift(live);
      calls.length = Math.min(calls.length, CALLS);
      for (const listener of listeners) listener(live);
    },
    spans: (inner) => ({
      trace: (name, attributes, parent, run) =>
        inner.trace(name, attributes, parent, (span) =>
          watched() ? traceLines({ name, attributes, span, timelines }, run) : run(span),
        ),
    }),
    recent: () => calls,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

interface Root {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly span: Span;
  readonly timelines: WeakMap<Span, readonly SpanLine[]>;
}

async function traceLines<T>(root: Root, run: (span: Span) => Promise<T>): Promise<T> {
  const { name, attributes, span, timelines } = root;
  const lines: SpanLine[] = [];
  const began = performance.now();
  return timed({ name, attributes, depth: 0, began, lines }, span, (own) => {
    timelines.set(own, lines);
    return run(own);
  });
}

interface Step {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly depth: number;
  readonly began: number;
  readonly lines: SpanLine[];
}

/** Runs a step. Its line comes before those of the steps inside it, and is complete when it ends. */
async function timed<T>(step: Step, inner: Span, run: (span: Span) => Promise<T>): Promise<T> {
  const { name, attributes, depth, began, lines } = step;
  let known = attributes;
  const startedAt = performance.now();
  const place = lines.length;
  lines.push({ name, depth, start_ms: 0, duration_ms: 0, attributes });
  const span: Span = {
    traceId: inner.traceId,
    set: (more) => {
      known = { ...known, ...more };
      inner.set(more);
    },
    span: (child, own, work) =>
      inner.span(child, own, (next) =>
        timed({ ...step, name: child, attributes: own, depth: depth + 1 }, next, work),
      ),
  };
  try {
    return await run(span);
  } finally {
    lines[place] = {
      name,
      depth,
      start_ms: rounded(startedAt - began),
      duration_ms: rounded(performance.now() - startedAt),
      attributes: allowedAttributes(name, known),
    };
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
