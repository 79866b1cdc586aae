import type { CallRecord } from '../call/call-record.ts';
import { type RequestContext, traceIdOf } from '../context.ts';
import { toPublicText } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { toAuditDecision } from '../policy/decision.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import { REDACTED } from '../redaction/hidden-texts.ts';
import {
  type Conceal,
  callerCredentials,
  createRedactor,
  cutText,
  type Redactor,
} from '../redaction/redact.ts';
import { type AuditEvent, toAuditEvents } from './events.ts';

const SCHEMA_NAME = 'svc.endpoints';
const SCHEMA_VERSION = 1;
export const OPERATION_TYPES = ['tool', 'resource', 'prompt'] as const;
export const OPERATION_STATUSES = ['success', 'error'] as const;
export const POLICY_DECISIONS = ['allow', 'deny', 'n/a'] as const;

/** One operation as a line of the audit file. The fields of the spec ("Audit record") come first, then svc's own. */
export interface AuditRecord {
  readonly record_id: string;
  readonly timestamp: string;
  readonly schema_name: string;
  readonly schema_version: number;
  readonly operation_type: (typeof OPERATION_TYPES)[number];
  readonly operation_name: string;
  readonly operation_status: (typeof OPERATION_STATUSES)[number];
  readonly duration_ms: number;
  readonly caller_type: RequestContext['transport'];
  readonly user_id: string | null;
  /** The name of the caller's API key; absent for other callers. */
  readonly api_key?: string;
  readonly session_id: string | null;
  readonly trace_id: string | null;
  readonly policy_decision: (typeof POLICY_DECISIONS)[number];
  readonly policy_reason: string | null;
  /** The text that the caller received. The log has the details under `request_id`. */
  readonly error_message: string | null;
  readonly error_code: string | null;
  readonly request_id: string;
  readonly policies_evaluated: number;
  /** The rules that took effect, e.g. `input[0]`. */
  readonly policies_applied: readonly string[];
  /** The number of rows, items or messages in the result; null for an error. */
  readonly result_count: number | null;
  /** The rows and bytes that the call's statements scan, by the estimates of their plans; absent without limits on scans. */
  readonly estimated_rows?: number | null;
  readonly estimated_bytes?: number | null;
  /** Whether the result was kept from an earlier call; absent if it may not be kept. */
  readonly cached?: boolean;
  /** The ranges and bytes that the call fetched from an object store; absent for a database at hand. */
  readonly fetched_ranges?: number;
  readonly fetched_bytes?: number;
  readonly input_data?: JsonObject;
  readonly output_data?: JsonValue;
  /** Work that the call did elsewhere; absent if it reported none. */
  readonly execution_events?: readonly AuditEvent[];
}

/**
 * The fields of a record in their order, each with the type of its column in an exported table. Add a new field here, in
 * `AuditRecord` and in `toAuditRecord`. tsc reports a field that is missing here, and a required one that `toAuditRecord`
 * does not set.
 */
export const RECORD_FIELDS = {
  record_id: 'VARCHAR',
  timestamp: 'TIMESTAMPTZ',
  schema_name: 'VARCHAR',
  schema_version: 'INTEGER',
  operation_type: 'VARCHAR',
  operation_name: 'VARCHAR',
  operation_status: 'VARCHAR',
  duration_ms: 'BIGINT',
  caller_type: 'VARCHAR',
  user_id: 'VARCHAR',
  api_key: 'VARCHAR',
  session_id: 'VARCHAR',
  trace_id: 'VARCHAR',
  policy_decision: 'VARCHAR',
  policy_reason: 'VARCHAR',
  error_message: 'VARCHAR',
  error_code: 'VARCHAR',
  request_id: 'VARCHAR',
  policies_evaluated: 'INTEGER',
  policies_applied: 'VARCHAR[]',
  result_count: 'BIGINT',
  estimated_rows: 'BIGINT',
  estimated_bytes: 'BIGINT',
  cached: 'BOOLEAN',
  fetched_ranges: 'BIGINT',
  fetched_bytes: 'BIGINT',
  input_data: 'JSON',
  output_data: 'JSON',
  execution_events: 'JSON',
} as const satisfies { readonly [F in keyof AuditRecord]-?: string };

/** Whether records contain the arguments and the results of calls. */
export interface RecordOptions {
  readonly inputs: boolean;
  readonly outputs: boolean;
  /** Removes the profile's secrets, which Python may have put into texts and results. */
  readonly conceal?: Conceal;
}

const MAX_NAME = 512;
const MAX_ERROR = 2_048;

/** Converts one call to its record: redacted and of bounded size. */
export function toAuditRecord(call: CallRecord, { inputs, outputs, conceal }: RecordOptions): AuditRecord {
  const { context, decision, error, events = [], estimate, cached, fetched } = call;
  const redactor = createRedactor(conceal, callerCredentials(context));
  // The record has no answers. The redactor has to know them, because results and events may repeat them.
  if (call.answers !== undefined) redactor.arguments(call.answers, answerParameters(call.entry?.ask ?? []));
  const input = redactor.arguments(call.args, call.entry?.parameters ?? []);
  return {
    record_id: createRecordId(call.startedAt),
    timestamp: new Date(call.startedAt).toISOString(),
    schema_name: SCHEMA_NAME,
    schema_version: SCHEMA_VERSION,
    operation_type: call.kind,
    operation_name: toOperationName(call, redactor),
    operation_status: call.status,
    duration_ms: Math.max(0, Math.round(call.durationMs)),
    ...callerOf(context),
    trace_id: call.traceId ?? traceIdOf(context.traceparent),
    policy_decision: toAuditDecision(decision),
    policy_reason: decision.reason === null ? null : redactor.text(decision.reason),
    ...failureOf(call, redactor),
    request_id: cutText(context.requestId, MAX_NAME),
    policies_evaluated: decision.evaluated,
    policies_applied: decision.rules.slice(0, 100),
    result_count: error === null ? countOf(call.result) : null,
    ...(estimate === undefined ? {} : { estimated_rows: estimate.rows, estimated_bytes: estimate.bytes }),
    ...(cached === undefined ? {} : { cached }),
    ...(fetched === undefined ? {} : { fetched_ranges: fetched.ranges, fetched_bytes: fetched.bytes }),
    ...(inputs ? { input_data: input } : {}),
    ...(outputs && error === null ? { output_data: outputOf(call, redactor) } : {}),
    ...(events.length === 0 ? {} : { execution_events: toAuditEvents(events, redactor, outputs) }),
  };
}

/** The name of a call's operation. A resource has its URI template. A name that only the client knows is redacted. */
export function toOperationName({ entry, name }: CallRecord, redactor?: Redactor): string {
  if (entry !== null) return entry.kind === 'resource' ? entry.uri : entry.name;
  return (redactor ?? createRedactor()).text(withoutQuery(name), MAX_NAME);
}

function withoutQuery(text: string): string {
  return text.replace(/\?[\s\S]+$/, `?${REDACTED}`);
}

function callerOf({ transport, user, sessionId }: RequestContext) {
  return {
    caller_type: transport,
    user_id: user === null ? null : cutText(user.id, MAX_NAME),
    ...(user?.apiKey === undefined ? {} : { api_key: user.apiKey }),
    session_id: sessionId === null ? null : cutText(sessionId, MAX_NAME),
  };
}

function failureOf({ entry, error }: CallRecord, redactor: Redactor) {
  if (error === null) return { error_message: null, error_code: null };
  const told = redactor.text(toPublicText(error), MAX_ERROR);
  // The message about an unknown name ends with the name in quotes.
  return { error_message: entry === null ? withoutQuery(told) : told, error_code: error.code };
}

function countOf(result: JsonValue): number {
  if (Array.isArray(result)) return result.length;
  return result === null ? 0 : 1;
}

/**
 * Redacts the output. A prompt's text repeats its arguments and answers in any form, so a sensitive one hides the whole
 * text.
 */
function outputOf({ entry, result }: CallRecord, redactor: Redactor): JsonValue {
  if (entry?.kind !== 'prompt') return redactor.result(result, entry?.returns ?? null);
  const parameters = [...entry.parameters, ...answerParameters(entry.ask ?? [])];
  const guarded = parameters.some(({ sensitive }) => sensitive === true);
  return guarded ? REDACTED : redactor.result(result, null);
}

const randomBytes = new Uint8Array(10 * 256);
let usedBytes = randomBytes.length;

/** Creates a UUID of version 7 (RFC 9562). Ids sort by the millisecond of their creation. */
function createRecordId(now: number): string {
  if (usedBytes >= randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    usedBytes = 0;
  }
  const time = Math.trunc(now).toString(16).padStart(12, '0').slice(-12);
  let tail = '';
  for (let index = 0; index < 10; index += 1) {
    const byte = randomBytes[usedBytes + index] ?? 0;
    // The first byte holds the version, the third the variant.
    const value = index === 0 ? 0x70 | (byte & 0x0f) : index === 2 ? 0x80 | (byte & 0x3f) : byte;
    tail += (value + 0x100).toString(16).slice(1);
  }
  usedBytes += 10;
  return `${time.slice(0, 8)}-${time.slice(8)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`;
}
