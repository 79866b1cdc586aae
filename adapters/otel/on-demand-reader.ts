import { AggregationTemporality, MetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';

/** Exports metrics when it is asked to: where timers stop with the request, nothing may wait for one. */
export class OnDemandReader extends MetricReader {
  readonly #exporter: PushMetricExporter;

  constructor(exporter: PushMetricExporter) {
    // what goes up and down stays cumulative: backends take no changes of a gauge
    super({
      aggregationTemporalitySelector: (kind) =>
        exporter.selectAggregationTemporality?.(kind) ?? AggregationTemporality.DELTA,
    });
    this.#exporter = exporter;
  }

  protected override async onForceFlush(): Promise<void> {
    const { resourceMetrics } = await this.collect();
    // what is cumulative is there each time, also where no call was made
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    const isNew = metrics.some((metric) => metric.aggregationTemporality === AggregationTemporality.DELTA);
    if (!isNew) return;
    await new Promise<void>((resolve) => this.#exporter.export(resourceMetrics, () => resolve()));
  }

  protected override async onShutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }
}
