import { isObject } from '../json.ts';
import { OPERATION_STATUSES, OPERATION_TYPES } from './record.ts';

/** The fields of a record that a filter compares. */
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

/** Selects records. A field that is absent matches every record. */
export type AuditFilter = {
  readonly [field in (typeof FILTER_FIELDS)[number]]?: string;
} & {
  /** Both ends are inclusive, in UTC with milliseconds, like `timestamp` in records. */
  readonly start_time?: string;
  readonly end_time?: string;
};

/** A parsed line of an audit file. */
export interface AuditLine {
  readonly fields: { readonly [field: string]: unknown };
  readonly timestamp: string;
}

/** The pattern of a record's `timestamp`. */
export const TIMESTAMP = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$';

const MOMENT = new RegExp(TIMESTAMP);

/** Parses a line as a record. Returns null for a torn line and for lines of other programs. */
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

/** Whether a record matches a filter. */
export function matches({ fields, timestamp }: AuditLine, filter: AuditFilter): boolean {
  if (filter.start_time !== undefined && timestamp < filter.start_time) return false;
  if (filter.end_time !== undefined && timestamp > filter.end_time) return false;
  return FILTER_FIELDS.every(
    (field) => filter[field] === undefined || filter[field] === fieldTextOf(fields[field]),
  );
}

/** The text of a field; null if it is absent. */
export function fieldTextOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses the JSON of a line. Returns null for invalid JSON, for JSON nested too deep and for half of a surrogate pair. */
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
