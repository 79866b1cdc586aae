import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { TelemetrySettings } from '../../src/settings/model.ts';

const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** Where one signal goes: the endpoint is the base of both, as OTEL_EXPORTER_OTLP_ENDPOINT means it. */
export function urlOf({ endpoint }: TelemetrySettings, signal: 'traces' | 'metrics'): string {
  const base = (endpoint ?? DEFAULT_ENDPOINT).replace(/\/+$/, '').replace(/\/v1\/(traces|metrics)$/, '');
  return `${base}/v1/${signal}`;
}

/** Who sends; attributes of the operator's own go before ours. */
export function resourceOf(settings: TelemetrySettings, project: string, version: string): Resource {
  const { service_name, service_version, environment, resource_attributes } = settings;
  return resourceFromAttributes({
    'service.version': service_version ?? version,
    ...(environment === null ? {} : { 'deployment.environment.name': environment }),
    ...resource_attributes,
    'service.name': service_name ?? resource_attributes['service.name'] ?? project,
  });
}
