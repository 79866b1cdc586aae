import type { JsonObject } from '../json.ts';
import type { SqlValue } from '../sql-value.ts';
import { isDate, isDateTime, isDuration, isEmail, isTime, isTimestamp, isUri } from './format-checks.ts';
import { toSqlDateTime, toSqlInterval, toSqlTime, toSqlTimestamp } from './sql-times.ts';

/** Everything svc knows about one string format. */
interface FormatRecord {
  /** Completes "must be ..." in messages. */
  readonly text: string;
  readonly accepts: (text: string) => boolean;
  /** A text that the format accepts: for documentation, generated arguments and trial runs of policies. */
  readonly example: string;
  /** JSON Schema keywords of a result; null: `format` with this name. Arguments always have the latter. */
  readonly output: JsonObject | null;
  /** The value that DuckDB gets; null: the text itself. */
  readonly toSql: ((text: string) => SqlValue) | null;
  /** The converter in `adapters/python/host/svc/_arguments.py` and the annotations that fit; null: `str`. */
  readonly python: { readonly kind: string; readonly annotations: readonly [string, ...string[]] } | null;
  /** Whether MCP allows the format in forms of elicitation. */
  readonly inForms: boolean;
}

/**
 * The string formats of the endpoint language. A new format is one record here. SQL times need no
 * zone, and intervals have signs and fractions, so results differ from the standard's formats.
 */
const FORMATS = {
  email: {
    text: 'an email address such as ada@example.org',
    accepts: isEmail,
    example: 'ada@example.org',
    output: null,
    toSql: null,
    python: null,
    inForms: true,
  },
  uri: {
    text: 'a URI with its scheme, such as https://example.org/a',
    accepts: isUri,
    example: 'https://example.org/',
    output: null,
    toSql: null,
    python: null,
    inForms: true,
  },
  date: {
    text: 'a calendar date, YYYY-MM-DD',
    accepts: isDate,
    example: '2024-02-29',
    output: null,
    toSql: (text) => ({ sqlType: 'DATE', text }),
    python: { kind: 'date', annotations: ['date'] },
    inForms: true,
  },
  time: {
    text: 'a time of day, HH:MM:SS',
    accepts: isTime,
    example: '09:30:00',
    output: { format: 'iso-time' },
    toSql: toSqlTime,
    python: { kind: 'time', annotations: ['time'] },
    inForms: false,
  },
  'date-time': {
    text: 'a date and time, YYYY-MM-DDTHH:MM:SS with an optional Z or +HH:MM',
    accepts: isDateTime,
    example: '2024-02-29T09:30:00Z',
    output: { format: 'iso-date-time' },
    toSql: toSqlDateTime,
    python: { kind: 'date-time', annotations: ['datetime'] },
    inForms: true,
  },
  duration: {
    text: 'an ISO 8601 duration such as P1DT2H or P2W',
    accepts: isDuration,
    example: 'P1DT2H',
    output: { pattern: '^[+-]?P' },
    toSql: toSqlInterval,
    python: null,
    inForms: false,
  },
  timestamp: {
    text: 'a number of seconds since 1970-01-01T00:00:00Z, in the years 1 to 9999',
    accepts: isTimestamp,
    example: '1709199000',
    output: { pattern: '^[+-]?[0-9.]+([eE][+-]?[0-9]+)?$' },
    toSql: toSqlTimestamp,
    python: { kind: 'timestamp', annotations: ['datetime'] },
    inForms: false,
  },
} as const satisfies Record<string, FormatRecord>;

/** The name of a string format. */
export type Format = keyof typeof FORMATS;

/** The names of all string formats. */
export const FORMAT_NAMES = Object.keys(FORMATS) as readonly Format[];

/** The record of a format, in the common type of all records. */
export function formatOf(format: Format): FormatRecord {
  return FORMATS[format];
}
