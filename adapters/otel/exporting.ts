import { type HrTime, SpanStatusCode } from '@opentelemetry/api';
import { AggregationTemporality, MetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { jsonLine } from '../../src/one-line.ts';
import type { Log } from '../../src/ports.ts';

/** The outcome of an export. The SDK's own type is in a private package. */
export interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** The common part of the exporters of spans and metrics. */
interface Exporter<Batch> {
  export(batch: Batch, done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
}

interface ReportOptions {
  readonly signal: 'traces' | 'metrics';
  readonly log: Log;
  /** Milliseconds without an attempt after a failed one, so that not every request waits for a dead collector. */
  readonly restMs: number;
  readonly now: () => number;
}

const FAILED = 1;

interface Resting {
  /** Whether a batch would be dropped without an attempt. */
  isResting(): boolean;
}

/** Logs once that the collector fails and once that it is back. The SDK itself logs neither. */
export function reportFailures<Batch, E extends Exporter<Batch>>(
  exporter: E,
  options: ReportOptions,
): E & Resting {
  const { signal, log, restMs, now } = options;
  let failing = false;
  let restsUntil = 0;
  const note = ({ code, error }: ExportResult) => {
    const failed = code !== 0;
    restsUntil = failed ? now() + restMs : 0;
    if (failed === failing) return;
    failing = failed;
    if (failed)
      log({ level: 'warn', message: `telemetry: ${signal} cannot be exported: ${reasonOf(error)}` });
    else log({ level: 'info', message: `telemetry: ${signal} are exported again` });
  };
  const isResting = () => now() < restsUntil;
  const inner = exporter.export.bind(exporter);
  exporter.export = (batch, done) => {
    if (isResting()) return done({ code: FAILED });
    inner(batch, (result) => {
      note(result);
      done(result);
    });
  };
  return Object.assign(exporter, { isResting });
}

/** The codes of a connection that the collector, or a network in between, has closed. */
const CLOSED_CONNECTION: readonly unknown[] = ['ECONNRESET', 'EPIPE'];

/**
 * Ends each export after `limitMs`, however slowly the collector answers. Repeats one at once if its connection was closed,
 * because networks forget connections while a function is frozen.
 */
export function limitExports<Batch, E extends Exporter<Batch>>(exporter: E, limitMs: number): E {
  const inner = exporter.export.bind(exporter);
  exporter.export = (batch, done) => {
    let isOver = false;
    const end = (result: ExportResult) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      done(result);
    };
    const error = new Error(`the collector did not answer within ${limitMs} ms`);
    const timer = setTimeout(() => end({ code: FAILED, error }), limitMs);
    inner(batch, (first) => {
      if (wasClosed(first.error) && !isOver) inner(batch, end);
      else end(first);
    });
  };
  return exporter;
}

function wasClosed(error: Error | undefined): boolean {
  return error !== undefined && 'code' in error && CLOSED_CONNECTION.includes(error.code);
}

function reasonOf(error: Error | undefined): string {
  return error?.message || 'the collector did not accept them';
}

/** Exports metrics only when it is flushed, for platforms whose timers stop with the request. */
export class OnDemandReader extends MetricReader {
  readonly #exporter: PushMetricExporter & Resting;

  constructor(exporter: PushMetricExporter & Resting) {
    // Up-down counters stay cumulative: backends do not accept deltas of a gauge.
    super({
      aggregationTemporalitySelector: (kind) =>
        exporter.selectAggregationTemporality?.(kind) ?? AggregationTemporality.DELTA,
    });
    this.#exporter = exporter;
  }

  protected override async onForceFlush(): Promise<void> {
    // Collecting sets the counters to zero.
    if (this.#exporter.isResting()) return;
    const { resourceMetrics } = await this.collect();
    // Cumulative metrics are collected each time, also without a call.
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    const isNew = metrics.some((metric) => metric.aggregationTemporality === AggregationTemporality.DELTA);
    if (!isNew) return;
    await new Promise<void>((resolve) => this.#exporter.export(resourceMetrics, () => resolve()));
  }

  protected override async onShutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }
}

/** Writes a line of text. It must not be stdout if stdout carries the protocol. */
export type WriteSpanLine = (line: string) => void;

/** Creates an exporter that writes a JSON line for each span (`telemetry.tracing.console_export`). */
export function createConsoleExporter(write: WriteSpanLine): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) write(jsonLine(toLine(span)));
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
