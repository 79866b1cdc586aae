import type { SpanAttributes } from '../ports.ts';

/** The attributes that each span may carry (spec, "Spans"). Other spans carry none. */
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
    'svc.cache.hit',
  ],
  'svc.database.execute': [
    'db.system',
    'db.statement.hash',
    'db.operation',
    'db.parameters.count',
    'db.readonly',
    'db.rows_affected',
    'db.scan.estimated_rows',
    'db.scan.estimated_bytes',
    'db.fetched.ranges',
    'db.fetched.bytes',
  ],
  'svc.python.execute': [],
  'svc.validation.output': [],
  'svc.policy.enforce_output': [],
  'svc.auth.authenticate': ['svc.auth.authenticated', 'svc.auth.provider'],
};

/**
 * The longest text that is kept. Names of endpoints and hashes
 * have at most 64 characters, so a longer text is something else.
 */
const MAX_TEXT = 256;

/** Keeps the attributes that may leave the server and drops all others (spec, "Privacy rules"). */
export function allowedAttributes(span: string, attributes: SpanAttributes): SpanAttributes {
  const allowed = SPAN_ATTRIBUTES[span] ?? [];
  const kept = Object.entries(attributes).filter(([name]) => allowed.includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value]),
  );
}
