import type { Meter, Tracer } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type IMetricReader,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  SimpleSpanProcessor,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { CallObserver } from '../../src/call/call-record.ts';
import type { Log, Spans } from '../../src/ports.ts';
import type { TelemetrySettings } from '../../src/settings/model.ts';
import { NO_SPANS } from '../../src/telemetry/no-spans.ts';
import {
  createConsoleExporter,
  limitExports,
  OnDemandReader,
  reportFailures,
  type WriteSpanLine,
} from './exporting.ts';
import { countCalls, gaugeCalls } from './metrics.ts';
import { createSpans } from './spans.ts';

/** The settings of telemetry, and the server that it measures. */
export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  /** Returns the current headers on a server whose reload may change them. */
  readonly headers?: () => TelemetrySettings['headers'];
  readonly project: string;
  readonly version: string;
  readonly log: Log;
  readonly write: WriteSpanLine;
  /** Whether the platform runs nothing between requests, so that only `flush` sends (Lambda, Workers). */
  readonly onDemand: boolean;
}

/** Traces and metrics of one server. */
export interface Telemetry {
  readonly spans: Spans;
  readonly observe: CallObserver;
  /** Sends collected spans and metrics. Never throws; takes at most `limitMs`. */
  flush(): Promise<void>;
  /** Sends the rest within `CLOSE_MS`. Data that the collector does not accept by then is lost. */
  close(): Promise<void>;
}

/** The time that a process waits for the collector when it ends. */
const CLOSE_MS = 2_000;
/** The longest delay of a timer; a longer one would fire at once. */
const NEVER_MS = 2 ** 31 - 1;
/**
 * The time limits of an attempt and of an export with its retries, and the pause after a failed one. On demand, a request
 * waits for the export; the exporter pauses for 800 ms or longer before a retry, so an attempt of 790 ms has none.
 */
const TIMES = {
  onDemand: { attemptMs: 790, limitMs: 1_000, restMs: 30_000 },
  timed: { attemptMs: 10_000, limitMs: 10_000, restMs: 0 },
} as const;

/** Creates OpenTelemetry over OTLP/HTTP with protobuf. Nothing is registered globally. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const resource = resourceOf(options);
  const tracing = createTracing(options, resource);
  const metering = createMetering(options, resource);
  const spans = tracing === null ? NO_SPANS : createSpans(tracing.tracer);
  const providers = [tracing?.provider, metering?.provider].filter((provider) => provider !== undefined);
  return {
    spans: metering === null ? spans : gaugeCalls(metering.meter, spans),
    observe: metering === null ? () => {} : countCalls(metering.meter),
    flush: () => settle(providers.map((provider) => provider.forceFlush())),
    close: () => atMost(CLOSE_MS, settle(providers.map((provider) => provider.shutdown()))),
  };
}

async function settle(work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(work);
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}

interface Tracing {
  readonly provider: TracerProvider;
  readonly tracer: Tracer;
}

function createTracing(options: TelemetryOptions, resource: Resource): Tracing | null {
  const { settings, version } = options;
  if (!settings.tracing.enabled) return null;
  const provider = new TracerProvider({
    resource,
    // Callers are not trusted: a `traceparent` that says "not sampled" must not hide a call.
    sampler: new AlwaysOnSampler(),
    spanProcessors: spanProcessors(options),
  });
  return { provider, tracer: provider.getTracer('svc', version) };
}

function spanProcessors(options: TelemetryOptions): SpanProcessor[] {
  const { settings, log, write, onDemand } = options;
  const { attemptMs, limitMs, restMs } = onDemand ? TIMES.onDemand : TIMES.timed;
  const config = { url: urlOf(settings, 'traces'), headers: headersOf(options), timeoutMillis: attemptMs };
  const raw = new OTLPTraceExporter(config);
  const exporter = reportFailures(onDemand ? limitExports(raw, limitMs) : raw, {
    signal: 'traces',
    log,
    restMs,
    now: Date.now,
  });
  const delay = onDemand ? { scheduledDelayMillis: NEVER_MS } : {};
  const batches = new BatchSpanProcessor({ exporter, exportTimeoutMillis: limitMs, ...delay });
  if (!settings.tracing.console_export) return [batches];
  return [batches, new SimpleSpanProcessor({ exporter: createConsoleExporter(write) })];
}

interface Metering {
  readonly provider: MeterProvider;
  readonly meter: Meter;
}

function createMetering(options: TelemetryOptions, resource: Resource): Metering | null {
  const { settings, version } = options;
  if (!settings.metrics.enabled) return null;
  const provider = new MeterProvider({ resource, readers: [metricReader(options)] });
  return { provider, meter: provider.getMeter('svc', version) };
}

function metricReader(options: TelemetryOptions): IMetricReader {
  const { settings, log, onDemand } = options;
  const { attemptMs, limitMs, restMs } = onDemand ? TIMES.onDemand : TIMES.timed;
  const raw = new OTLPMetricExporter({
    url: urlOf(settings, 'metrics'),
    headers: headersOf(options),
    timeoutMillis: attemptMs,
    temporalityPreference: onDemand ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
  });
  const reporting = { signal: 'metrics', log, restMs, now: Date.now } as const;
  if (onDemand) return new OnDemandReader(reportFailures(limitExports(raw, limitMs), reporting));
  const exportIntervalMillis = Math.min(settings.metrics.export_interval * 1000, NEVER_MS);
  return new PeriodicExportingMetricReader({
    exporter: reportFailures(raw, reporting),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(limitMs, exportIntervalMillis),
  });
}

/** Returns the headers anew for every export. */
function headersOf({ settings, headers }: TelemetryOptions): () => Promise<Record<string, string>> {
  return async () => ({ ...(headers?.() ?? settings.headers) });
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** Returns the address of a signal. The endpoint is the base of both, like OTEL_EXPORTER_OTLP_ENDPOINT. */
function urlOf({ endpoint }: TelemetrySettings, signal: 'traces' | 'metrics'): string {
  const base = (endpoint ?? DEFAULT_ENDPOINT).replace(/\/+$/, '').replace(/\/v1\/(traces|metrics)$/, '');
  return `${base}/v1/${signal}`;
}

/**
 * Describes the sender. `resource_attributes` of the configuration override ours. A server that sends sums since its start
 * has an id of its own: a collector would take two servers with one description for one that starts anew all the time.
 */
function resourceOf({ settings, project, version, onDemand }: TelemetryOptions): Resource {
  const { service_name, service_version, environment, resource_attributes } = settings;
  return resourceFromAttributes({
    ...(onDemand ? {} : { 'service.instance.id': crypto.randomUUID() }),
    'service.version': service_version ?? version,
    ...(environment === null ? {} : { 'deployment.environment.name': environment }),
    ...resource_attributes,
    'service.name': service_name ?? resource_attributes['service.name'] ?? project,
  });
}
