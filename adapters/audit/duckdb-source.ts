import { type AuditFilter, FILTER_FIELDS, TIMESTAMP } from '../../src/audit/filter.ts';
import { OPERATION_STATUSES, OPERATION_TYPES } from '../../src/audit/record.ts';
import { quoteFiles, quoteText } from '../../src/sql/quote.ts';
import { openScratch, type Scratch } from '../duckdb-native/files/scratch.ts';
import {
  type AuditSource,
  type Counted,
  type Detail,
  type Grouped,
  type Newest,
  type Page,
  streamedSource,
  toNewest,
} from './streamed-source.ts';

const FIELDS = ['timestamp', 'record_id', ...FILTER_FIELDS] as const;

/** For more records than this, a list of their ids is not worth it. */
const MAX_NEWEST = 20_000;

/** Opens audit files with DuckDB, which reads them on all cores. Throws if DuckDB is not installed. */
export async function nativeSource(files: readonly string[]): Promise<AuditSource> {
  const scratch = await openScratch();
  return {
    newest: async (filter, page) =>
      (await newest(scratch, files, filter, page)) ?? streamedSource(files).newest(filter, page),
    count: (filter, characters) => count(scratch, files, filter, characters),
    groups: (filter, detail) => groups(scratch, files, filter, detail),
    close: () => scratch.close(),
  };
}

/**
 * SQL that reads audit files as the relation `line`, with the columns of a filter, `sound` (the line is a
 * record) and `wanted` (it matches).
 */
export interface Lines {
  readonly with: string;
  readonly values: readonly string[];
}

/**
 * Builds the relation. Values of the filter are bound, never written into the SQL. `more` adds columns with
 * their types.
 */
export function linesOf(
  files: readonly string[],
  filter: AuditFilter,
  more: { readonly [column: string]: string } = {},
): Lines {
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const equal = FILTER_FIELDS.flatMap((field) => {
    const value = filter[field];
    return value === undefined ? [] : [`"${field}" = ${bind(value)}`];
  });
  const conditions = [
    ...(filter.start_time === undefined ? [] : [`"timestamp" >= ${bind(filter.start_time)}`]),
    ...(filter.end_time === undefined ? [] : [`"timestamp" <= ${bind(filter.end_time)}`]),
    ...equal,
  ];
  const columns = { ...Object.fromEntries(FIELDS.map((field) => [field, 'VARCHAR'])), ...more };
  const typed = Object.entries(columns).map(([name, type]) => `"${name}": '${type}'`);
  return {
    values,
    with: `WITH read AS (
  FROM read_json(${quoteFiles(files)},
    format = 'newline_delimited', ignore_errors = true, columns = {${typed.join(', ')}})
), judged AS (
  SELECT *, coalesce(${SOUND}, false) AS sound FROM read
), line AS (
  SELECT *, sound AND coalesce(${conditions.join(' AND ') || 'true'}, false) AS wanted FROM judged
)`,
  };
}

/** The same conditions as in `toAuditLine`. */
const SOUND = `regexp_matches("timestamp", ${quoteText(TIMESTAMP)})
    AND operation_type IN (${OPERATION_TYPES.map(quoteText).join(', ')})
    AND operation_status IN (${OPERATION_STATUSES.map(quoteText).join(', ')})`;

/**
 * Finds the ids of the newest records, then reads the lines of the page. Parsing all lines would take several times as
 * long. Null if that is not possible.
 */
async function newest(
  scratch: Scratch,
  files: readonly string[],
  filter: AuditFilter,
  { limit, offset }: Page,
): Promise<Newest | null> {
  if (offset + limit > MAX_NEWEST) return null;
  const { with: lines, values } = linesOf(files, filter);
  const key = `"timestamp" || ' ' || coalesce(record_id, '')`;
  const [row = []] = await scratch.rows(
    `${lines} SELECT count(*) FILTER (wanted), count(*) FILTER (NOT sound),
  count(*) FILTER (wanted AND record_id IS NULL),
  array_to_string(max_by(record_id, ${key}, ${Math.max(1, offset + limit)}) FILTER (wanted), chr(10)) FROM line`,
    values,
  );
  const [total, foreign, nameless] = [Number(row[0]), Number(row[1]), Number(row[2])];
  const expected = Math.max(0, Math.min(limit, total - offset));
  if (expected === 0) return { lines: [], total, foreign };
  const ids = String(row[3] ?? '')
    .split('\n')
    .slice(offset);
  const found = await scratch.rows(
    `SELECT line FROM read_csv(${quoteFiles(files)}, columns = {'line': 'VARCHAR'},
  delim = chr(1), quote = '', escape = '', header = false, auto_detect = false, ignore_errors = true)
WHERE regexp_extract(line, '"record_id"\\s*:\\s*"([^"]*)"', 1) IN (SELECT unnest(string_split($1, chr(10))))`,
    [ids.join('\n')],
  );
  const page = toNewest(
    found.map(([line]) => String(line)),
    filter,
  );
  // Records of another program may have no ids, ids that are not unique, or ids that contain escapes.
  const isSound = nameless === 0 && [ids, found, page].every(({ length }) => length === expected);
  return isSound ? { lines: page, total, foreign } : null;
}

async function count(
  scratch: Scratch,
  files: readonly string[],
  filter: AuditFilter,
  characters: number,
): Promise<Counted> {
  const { with: lines, values } = linesOf(files, filter);
  const rows = await scratch.rows(
    `${lines} SELECT sound, CASE WHEN sound THEN "timestamp"[1:${characters}] END, count(*)
FROM line WHERE wanted OR NOT sound GROUP BY 1, 2`,
    values,
  );
  const sums = (sound: boolean) => rows.filter((row) => row[0] === sound);
  return {
    counts: new Map(sums(true).map(([, moment, many]) => [String(moment), Number(many)])),
    foreign: sums(false).reduce((sum, [, , many]) => sum + Number(many), 0),
  };
}

async function groups(
  scratch: Scratch,
  files: readonly string[],
  filter: AuditFilter,
  detail: Detail,
): Promise<Grouped> {
  const { with: lines, values } = linesOf(files, filter);
  const details = detail === 'kinds' ? "'', NULL" : '"timestamp"[1:13], operation_name';
  const rows = await scratch.rows(
    `${lines} SELECT sound, ${details}, operation_type, operation_status, policy_decision,
  count(*), min("timestamp"), max("timestamp")
FROM line WHERE wanted OR NOT sound GROUP BY 1, 2, 3, 4, 5, 6`,
    values,
  );
  const textOf = (value: unknown) => (value === null || value === undefined ? null : String(value));
  return {
    groups: rows.flatMap(([sound, hour, name, type, status, policy, count, earliest, latest]) =>
      sound === true
        ? [
            {
              hour: String(hour),
              type: String(type),
              name: textOf(name),
              status: String(status),
              policy: textOf(policy),
              count: Number(count),
              earliest: String(earliest),
              latest: String(latest),
            },
          ]
        : [],
    ),
    foreign: rows.reduce((sum, [sound, , , , , , count]) => sum + (sound === true ? 0 : Number(count)), 0),
  };
}
