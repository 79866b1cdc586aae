import { isObject } from '../json.ts';
import { OPERATION_STATUSES, OPERATION_TYPES } from './record.ts';

/** The fields that a filter compares. */
export const FILTER_FIELDS = [
  'schema_name',
  'operation_type',
  'operation_name',
  'operation_status',
  'policy_decision',
  'user_id',
  'session_id',
  'trace_id',
  'request_id',
] as const;

/** Which records are asked for; what is absent does not matter. */
export type AuditFilter = {
  readonly [field in (typeof FILTER_FIELDS)[number]]?: string;
} & {
  /** Both ends belong to the range; as records have them, in UTC to the millisecond. */
  readonly start_time?: string;
  readonly end_time?: string;
};

/** A line of an audit file, read. */
export interface AuditLine {
  readonly fields: { readonly [field: string]: unknown };
  readonly timestamp: string;
}

/** How a record's `timestamp` looks. */
export const TIMESTAMP = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$';

const MOMENT = new RegExp(TIMESTAMP);

/** A line as a record; null for one that is torn, or none of ours. */
export function toAuditLine(line: string): AuditLine | null {
  const fields = readLine(line);
  if (!isObject(fields)) return null;
  const { timestamp, operation_type, operation_status } = fields;
  const sound =
    typeof timestamp === 'string' &&
    MOMENT.test(timestamp) &&
    isOneOf(OPERATION_TYPES, operation_type) &&
    isOneOf(OPERATION_STATUSES, operation_status);
  return sound ? { fields, timestamp } : null;
}

/** Whether a record is asked for. */
export function matches({ fields, timestamp }: AuditLine, filter: AuditFilter): boolean {
  if (filter.start_time !== undefined && timestamp < filter.start_time) return false;
  if (filter.end_time !== undefined && timestamp > filter.end_time) return false;
  return FILTER_FIELDS.every(
    (field) => filter[field] === undefined || filter[field] === fieldTextOf(fields[field]),
  );
}

/** A field as text; null where it is absent. */
export function fieldTextOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The JSON of a line; null for a line that is not JSON, is nested too deep, or holds half of a surrogate pair. */
function readLine(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return /\\ud[89a-f]/i.test(line) && hasHalves(value) ? null : value;
  } catch {
    return null;
  }
}

function hasHalves(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inside]) => !key.isWellFormed() || hasHalves(inside));
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && values.includes(value);
}
