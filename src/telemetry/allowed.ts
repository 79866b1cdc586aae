import type { SpanAttributes } from '../ports.ts';

/** Every span and the attributes it may carry (spec, "Spans"); telemetry knows no others. */
const SPAN_ATTRIBUTES: { readonly [span: string]: readonly string[] } = {
  'svc.endpoint.execute': [
    'svc.endpoint.name',
    'svc.endpoint.type',
    'svc.auth.authenticated',
    'svc.auth.provider',
    'svc.session.id',
    'svc.policy.decision',
    'svc.policy.rules_evaluated',
  ],
  'svc.policy.enforce_input': [],
  'svc.validation.input': [],
  'svc.execution_engine.execute': [
    'svc.execution.language',
    'svc.params.count',
    'svc.has_input_schema',
    'svc.has_output_schema',
    'svc.result.count',
  ],
  'svc.database.execute': [
    'db.system',
    'db.statement.hash',
    'db.operation',
    'db.parameters.count',
    'db.readonly',
    'db.rows_affected',
  ],
  'svc.python.execute': [],
  'svc.validation.output': [],
  'svc.policy.enforce_output': [],
  'svc.auth.authenticate': ['svc.auth.authenticated', 'svc.auth.provider'],
};

/** Names of endpoints are at most 64 long, hashes 64: a longer text is none of what is allowed. */
const MAX_TEXT = 256;

/** What of a span's attributes may leave the server; the rest is dropped (spec, "Privacy rules"). */
export function allowedAttributes(span: string, attributes: SpanAttributes): SpanAttributes {
  const allowed = SPAN_ATTRIBUTES[span] ?? [];
  const kept = Object.entries(attributes).filter(([name]) => allowed.includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value]),
  );
}
