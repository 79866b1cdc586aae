import { SvcError } from '../errors.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ScanEstimate, ScanLimits } from '../ports.ts';

/** The statement whose answer `estimateScans` reads; it plans a statement and does not run it. */
export function explainOf(sql: string): string {
  return `EXPLAIN (FORMAT JSON) ${sql}`;
}

/** The types of scanned columns by name, as DuckDB's serialised plan has them. */
export type ColumnTypes = ReadonlyMap<string, string>;

/**
 * Estimates the data that a statement scans, from DuckDB's plan: the rows that its tables, files and table functions
 * give after pushed-down filters, and the size of their columns. Rows are null if the plan has no estimate for any scan.
 */
export function estimateScans(plan: JsonValue, types: ColumnTypes | null): ScanEstimate {
  const scans = [...scansOf(plan)];
  const known = scans.flatMap((scan) => {
    const rows = rowsOf(scan);
    return rows === null ? [] : [{ rows, width: types === null ? null : widthOf(scan.facts, types) }];
  });
  const rows = known.length === 0 && scans.length > 0 ? null : sum(known.map((scan) => scan.rows));
  const sizes = known.map((scan) => (scan.width === null ? null : scan.rows * scan.width));
  const bytes = rows === null || types === null || sizes.includes(null) ? null : sum(sizes.map(Number));
  return { rows, bytes };
}

/** Throws `scan_too_large` for an estimate beyond a limit. An unknown estimate is within every limit. */
export function enforceScan(estimate: ScanEstimate, limits: ScanLimits): void {
  for (const unit of ['rows', 'bytes'] as const) {
    const [found, limit] = [estimate[unit], limits[unit]];
    if (found === null || limit === undefined || found <= limit) continue;
    const less = unit === 'rows' ? 'Filter more' : 'Filter more, or read fewer columns';
    throw new SvcError(
      'scan_too_large',
      `The statement would scan about ${found} ${unit}, and the limit is ${limit} (\`limits.scan_${unit}\`). ${less}; the author of the endpoint can raise the limit.`,
      { detail: { estimate: { ...estimate }, limit: { ...limits } } },
    );
  }
}

/** Reads the types of columns from `json_serialize_plan`; null if DuckDB cannot serialise the plan. */
export function columnTypesOf(plan: JsonValue): ColumnTypes | null {
  if (!isObject(plan) || plan.error === true) return null;
  const types = new Map<string, string>();
  for (const { names, returned_types: returned } of getsOf(plan)) {
    if (!isList(names) || !isList(returned)) continue;
    names.forEach((name, index) => {
      const type = returned[index];
      if (typeof name !== 'string' || !isObject(type) || typeof type.id !== 'string') return;
      // Two tables can have a column of this name; the wider one counts.
      const other = types.get(name);
      if (other === undefined || bytesOf(type.id) > bytesOf(other)) types.set(name, type.id);
    });
  }
  return types;
}

function* getsOf(value: JsonValue): Generator<JsonObject> {
  if (isList(value)) for (const item of value) yield* getsOf(item);
  if (!isObject(value)) return;
  if (value.type === 'LOGICAL_GET') yield value;
  for (const part of Object.values(value)) yield* getsOf(part);
}

/** The name of an operator that reads data, and DuckDB's facts about it. */
interface Scan {
  readonly name: string;
  readonly facts: JsonObject;
}

/** The leaves of a plan that read a table, a file or a table function. */
function* scansOf(plan: JsonValue): Generator<Scan> {
  if (isList(plan)) for (const item of plan) yield* scansOf(item);
  if (!isObject(plan)) return;
  const { name, children, extra_info: facts } = plan;
  if (isList(children) && children.length > 0)
    yield* isFetchByRow(facts, children) ? scansOf(children[0] ?? null) : scansOf(children);
  else if (isObject(facts) && ('Table' in facts || 'Function' in facts)) yield { name: String(name), facts };
}

/**
 * Whether a join fetches the other columns of rows that a LIMIT has chosen, from the same table. DuckDB makes it by
 * itself, so that table counts once.
 */
function isFetchByRow(facts: JsonValue | undefined, sides: readonly JsonValue[]): boolean {
  if (!isObject(facts) || facts.Conditions !== 'rowid = rowid') return false;
  const tables = sides.flatMap((side) => [...scansOf(side)].map((scan) => scan.facts.Table));
  return tables.length === 2 && tables[0] !== undefined && tables[0] === tables[1];
}

function rowsOf({ name, facts: { 'Estimated Cardinality': estimated } }: Scan): number | null {
  if (typeof estimated !== 'string' || !/^\d+$/.test(estimated)) return null;
  return isInvented(name, estimated) ? null : Number(estimated);
}

/**
 * Whether DuckDB makes up an estimate: 0 for a Postgres table without statistics or a view, and 1 for a statement that
 * another database runs, such as `postgres_query`.
 */
function isInvented(name: string, estimated: string): boolean {
  return name.endsWith('_QUERY') || (name.startsWith('POSTGRES_') && estimated === '0');
}

/** The bytes of one row: the projected columns, and those that only filters read. Null if a type is unknown. */
function widthOf({ Projections: projected = '', Filters: filters = '' }: JsonObject, types: ColumnTypes) {
  const filtered = textsOf(filters).flatMap((filter) => {
    const names = [...types.keys()].filter((name) => filter.startsWith(name));
    return names.toSorted((one, other) => other.length - one.length).slice(0, 1);
  });
  const sizes = [...new Set([...textsOf(projected), ...filtered])].map((name) => {
    const type = types.get(name);
    return type === undefined ? null : bytesOf(type);
  });
  return sizes.includes(null) ? null : sum(sizes.map(Number));
}

function textsOf(value: JsonValue): readonly string[] {
  const texts = isList(value) ? value : [value];
  return texts.filter((text) => typeof text === 'string' && text !== '').map(String);
}

/** Bytes of a value of each type. A text, a list or another value without a fixed size counts as 16 bytes. */
const BYTES: Readonly<Record<string, number>> = {
  BOOLEAN: 1,
  TINYINT: 1,
  UTINYINT: 1,
  SMALLINT: 2,
  USMALLINT: 2,
  INTEGER: 4,
  UINTEGER: 4,
  DATE: 4,
  FLOAT: 4,
  BIGINT: 8,
  UBIGINT: 8,
  DOUBLE: 8,
  DECIMAL: 8,
  TIME: 8,
  TIMESTAMP: 8,
  'TIMESTAMP WITH TIME ZONE': 8,
};

function bytesOf(type: string): number {
  return BYTES[type] ?? 16;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
