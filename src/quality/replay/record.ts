import { OPERATION_TYPES } from '../../audit/record.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { EndpointKind } from '../../project/model.ts';
import { REDACTED } from '../../redaction/hidden-texts.ts';

/** A call from the audit log with everything that is needed to repeat it. */
export interface RecordedCall {
  readonly id: string;
  readonly timestamp: string;
  readonly kind: EndpointKind;
  /** For a resource, its URI template. */
  readonly name: string;
  readonly args: JsonObject;
  readonly userId: string | null;
  readonly ended: Ended;
}

/** The outcome of a call. Unknown fields are not compared. */
export interface Ended {
  readonly status: 'success' | 'error';
  readonly durationMs: number;
  readonly decision: string | null;
  readonly errorCode: string | null;
  readonly errorText: string | null;
  readonly rows: number | null;
  readonly value?: JsonValue;
  /** The server gave no answer. */
  readonly lost?: true;
  /** For an answer that is text only: the recorded value as such a text, and the text now. */
  readonly text?: { readonly recorded: string; readonly now: string };
}

/** The reasons why a record is not compared. */
export const SKIP_REASONS = {
  foreign: 'not a record, or incomplete',
  unrecorded: 'parameters were not recorded',
  redacted: 'parameters are redacted or truncated',
  writes: 'may write',
  unlisted: 'the server lists no tools (`tool_search`), so they may write',
  asks: 'a person is asked first',
  circumstances: 'ended for reasons outside of the endpoint',
  away: 'the server was away, or accepted no more calls',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

/** Error codes that depend on the circumstances and not on the endpoint. */
const CIRCUMSTANCES = new Set([
  'busy',
  'cancelled',
  'deadline_exceeded',
  'memory_exceeded',
  'database_unavailable',
  'audit_unavailable',
  'rate_limited',
  'endpoint_unknown',
  'scope_insufficient',
  'token_invalid',
  'token_missing',
  'capability_missing',
  'internal',
]);

/** Converts a record to a repeatable call, or returns the reason why that is impossible. */
export function toRecordedCall(fields: {
  readonly [field: string]: unknown;
}): { readonly call: RecordedCall } | { readonly skip: SkipReason } {
  const { operation_name: name, input_data: args } = fields;
  const kind = OPERATION_TYPES.find((type) => type === fields.operation_type);
  if (kind === undefined || typeof name !== 'string') return { skip: 'foreign' };
  // The request named none, so no endpoint was called.
  if (name === '') return { skip: 'circumstances' };
  if (!isObject(args)) return { skip: 'unrecorded' };
  if (isMarked(args)) return { skip: 'redacted' };
  const ended = toEnded(fields);
  if (CIRCUMSTANCES.has(ended.errorCode ?? '')) return { skip: 'circumstances' };
  const [id, timestamp] = [textOf(fields.record_id) ?? '', textOf(fields.timestamp) ?? ''];
  return { call: { id, timestamp, kind, name, args, userId: textOf(fields.user_id), ended } };
}

/** The recorded outcome of a call. */
export function toEnded(fields: { readonly [field: string]: unknown }): Ended {
  const { result_count: rows, duration_ms: duration, output_data: value } = fields;
  return {
    status: fields.operation_status === 'success' ? 'success' : 'error',
    durationMs: typeof duration === 'number' ? duration : 0,
    decision: textOf(fields.policy_decision),
    errorCode: textOf(fields.error_code),
    errorText: textOf(fields.error_message),
    rows: typeof rows === 'number' ? rows : null,
    ...(value === undefined ? {} : { value: value as JsonValue }),
  };
}

/** Whether a part of a value was redacted or truncated in the record. */
export function isMarked(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes(REDACTED) || /\[CUT[:\]]/.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inside]) => isMarked(key) || isMarked(inside));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
