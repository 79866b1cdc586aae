import { AggregationTemporality, MetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';

/** Exports metrics only when it is flushed, for platforms whose timers stop with the request. */
export class OnDemandReader extends MetricReader {
  readonly #exporter: PushMetricExporter;

  constructor(exporter: PushMetricExporter) {
    // Up-down counters stay cumulative: backends do not accept deltas of a gauge.
    super({
      aggregationTemporalitySelector: (kind) =>
        exporter.selectAggregationTemporality?.(kind) ?? AggregationTemporality.DELTA,
    });
    this.#exporter = exporter;
  }

  protected override async onForceFlush(): Promise<void> {
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
