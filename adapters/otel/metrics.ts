import type { Meter } from '@opentelemetry/api';
import type { CallObserver } from '../../src/call/call-record.ts';
import type { Spans } from '../../src/ports.ts';

/** The label of calls to endpoints that do not exist: each invented name would become a time series. */
const UNKNOWN = 'unknown';

/** Creates the counters of the spec ("Metrics"); returns the observer that feeds them. */
export function countCalls(meter: Meter): CallObserver {
  const requests = meter.createCounter('svc.endpoint.requests_total', {
    description: 'Calls of endpoints, by how they ended.',
  });
  const errors = meter.createCounter('svc.endpoint.errors_total', {
    description: 'Calls of endpoints that failed, by the code of the error.',
  });
  const evaluations = meter.createCounter('svc.policy.evaluations_total', {
    description: 'Policy rules that were evaluated.',
  });
  const denials = meter.createCounter('svc.policy.denials_total', {
    description: 'Calls that a policy denied.',
  });
  return ({ entry, status, error, decision }) => {
    const endpoint = entry?.name ?? UNKNOWN;
    requests.add(1, { endpoint, status });
    if (error !== null) errors.add(1, { endpoint, error_type: error.code });
    if (decision.evaluated > 0) evaluations.add(decision.evaluated);
    if (decision.outcome === 'deny') denials.add(1);
  };
}

/** Wraps spans so that running calls are counted. */
export function gaugeCalls(meter: Meter, spans: Spans): Spans {
  let running = 0;
  const gauge = meter.createGauge('svc.endpoint.concurrent_executions', {
    description: 'Calls of endpoints that are running.',
  });
  return {
    async trace(name, attributes, parent, run) {
      if (name !== 'svc.endpoint.execute') return spans.trace(name, attributes, parent, run);
      gauge.record(++running);
      try {
        return await spans.trace(name, attributes, parent, run);
      } finally {
        gauge.record(--running);
      }
    },
  };
}
