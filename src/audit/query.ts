import * as v from 'valibot';
import { SvcError } from '../errors.ts';
import type { AuditFilter } from './filter.ts';
import { OPERATION_STATUSES, OPERATION_TYPES } from './record.ts';
import type { AuditGroup, AuditStats } from './stats.ts';
import { toMoment } from './time-range.ts';

/** A record as read from the file, with all its fields, including those of other versions. */
export type FoundRecord = { readonly [field: string]: unknown };

/** One page of records, newest first. */
interface AuditPage {
  readonly records: readonly FoundRecord[];
  /** The number of all matching records. */
  readonly total: number;
  /** The number of lines that are torn or not records. */
  readonly foreign: number;
}

/** Queries the records of an audit log, independent of their storage. */
export interface AuditQuery {
  query(filter: AuditFilter, page: { readonly limit: number; readonly offset: number }): Promise<AuditPage>;
  stats(filter: AuditFilter): Promise<AuditStats>;
  /** Counts of matching records, grouped for charts. */
  groups(filter: AuditFilter): Promise<{ readonly groups: readonly AuditGroup[]; readonly foreign: number }>;
}

const text = () => v.optional(v.pipe(v.string(), v.maxLength(1_024, 'must be shorter')));

const moment = (edge: 'start' | 'end') =>
  v.optional(
    v.pipe(
      v.string(),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        const found = toMoment(dataset.value, edge);
        if (found !== null) return found;
        addIssue({ message: 'must be an ISO 8601 time, e.g. 2026-08-01T12:00:00Z' });
        return NEVER;
      }),
    ),
  );

const whole = (least: number, most: number, otherwise: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`),
      v.transform(Number),
      v.minValue(least, `must be ${least} or more`),
      v.maxValue(most, `must be ${most} or less`),
    ),
    otherwise,
  );

const oneOf = <const Values extends readonly string[]>(values: Values) =>
  v.optional(v.picklist(values, `must be one of ${values.join(', ')}`));

/** The query string of `GET /audit/query` (spec, "Admin API"). */
export const AUDIT_PARAMETERS = v.strictObject(
  {
    schema_name: text(),
    start_time: moment('start'),
    end_time: moment('end'),
    operation_type: oneOf(OPERATION_TYPES),
    operation_name: text(),
    operation_status: oneOf(OPERATION_STATUSES),
    user_id: text(),
    trace_id: text(),
    limit: whole(1, 1_000, '100'),
    offset: whole(0, 999_999_999, '0'),
  },
  'is not a known parameter',
);

/** Parses the query string. Throws request_invalid for unknown parameters, wrong values and repeated names. */
export function parseAuditQuery(params: URLSearchParams): {
  readonly filter: AuditFilter;
  readonly limit: number;
  readonly offset: number;
} {
  const twice = [...params.keys()].find((name, index, all) => all.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`${twice} is given twice`);
  const parsed = v.safeParse(AUDIT_PARAMETERS, Object.fromEntries(params));
  if (!parsed.success) {
    throw invalid(parsed.issues.map((issue) => `${v.getDotPath(issue) ?? ''} ${issue.message}`).join('; '));
  }
  const { limit, offset, ...filter } = parsed.output;
  return { filter: present(filter), limit, offset };
}

function present(filter: { readonly [key: string]: string | undefined }): AuditFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function invalid(problem: string): SvcError {
  return new SvcError('request_invalid', `The query is not valid: ${problem}.`);
}
