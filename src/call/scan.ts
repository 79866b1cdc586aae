import type { CallLimits } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import { isObject } from '../json.ts';
import type {
  Database,
  FetchedRanges,
  ScanEstimate,
  ScanLimits,
  Span,
  SqlCall,
  SqlRequest,
  SqlResult,
} from '../ports.ts';
import type { CallRecord } from './call-record.ts';

/** The limits of one call, the span of its statement, and the list that collects estimates for the audit record. */
export interface ScanContext {
  readonly limits: CallLimits;
  readonly span: Span;
  readonly scans: StatementScan[];
}

/** The data that one statement read: by the estimate of its plan, and from an object store. */
export interface StatementScan {
  readonly estimate: ScanEstimate | null;
  readonly fetched: FetchedRanges | null;
}

/** Runs a statement within the limits of its endpoint on scans, and notes the data that it read. */
export async function runScanned(
  database: Database,
  request: SqlRequest,
  call: SqlCall,
  { limits, span, scans }: ScanContext,
): Promise<SqlResult> {
  const limit = toScanLimits(limits);
  const note = ({ estimate, fetched }: StatementScan): void => {
    if (estimate !== null || fetched !== null) scans.push({ estimate, fetched });
    const { rows = null, bytes = null } = estimate ?? {};
    if (rows !== null) span.set({ 'db.scan.estimated_rows': rows });
    if (bytes !== null) span.set({ 'db.scan.estimated_bytes': bytes });
    if (fetched !== null)
      span.set({ 'db.fetched.ranges': fetched.ranges, 'db.fetched.bytes': fetched.bytes });
  };
  try {
    const result = await database.run(limit === null ? request : { ...request, scan: limit }, call);
    note({ estimate: result.estimate ?? null, fetched: result.fetched ?? null });
    return result;
  } catch (thrown) {
    note({ estimate: estimateOf(thrown), fetched: fetchedOf(thrown) });
    throw thrown;
  }
}

function toScanLimits({ scanRows: rows, scanBytes: bytes }: CallLimits): ScanLimits | null {
  if (rows === undefined && bytes === undefined) return null;
  return { ...(rows === undefined ? {} : { rows }), ...(bytes === undefined ? {} : { bytes }) };
}

/** The estimate in the error of a refused statement. */
function estimateOf(thrown: unknown): ScanEstimate | null {
  if (!(thrown instanceof SvcError) || thrown.code !== 'scan_too_large') return null;
  const estimate = thrown.detail?.estimate;
  if (!isObject(estimate)) return null;
  return { rows: toNumber(estimate.rows), bytes: toNumber(estimate.bytes) };
}

/** The ranges in the error of a statement that failed. */
function fetchedOf(thrown: unknown): FetchedRanges | null {
  const fetched = thrown instanceof SvcError ? thrown.detail?.fetched : undefined;
  if (!isObject(fetched)) return null;
  return { ranges: toNumber(fetched.ranges) ?? 0, bytes: toNumber(fetched.bytes) ?? 0 };
}

function toNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** The facts for a record about the data that the statements of one call read. */
export function toScanFacts(scans: readonly StatementScan[]): Pick<CallRecord, 'estimate' | 'fetched'> {
  const estimate = totalOf(scans);
  const fetched = fetchedBy(scans);
  return { ...(estimate === null ? {} : { estimate }), ...(fetched === null ? {} : { fetched }) };
}

/** Adds the estimates of the statements of one call; null for a unit that some estimate lacks, or without estimates. */
function totalOf(scans: readonly StatementScan[]): ScanEstimate | null {
  const estimates = scans.flatMap(({ estimate }) => estimate ?? []);
  if (estimates.length === 0) return null;
  const total = (unit: keyof ScanEstimate) =>
    estimates.reduce<number | null>((sum, scan) => {
      const value = scan[unit];
      return sum === null || value === null ? null : sum + value;
    }, 0);
  return { rows: total('rows'), bytes: total('bytes') };
}

/** Adds the ranges of the statements of one call; null if none was fetched from an object store. */
function fetchedBy(scans: readonly StatementScan[]): FetchedRanges | null {
  const all = scans.flatMap(({ fetched }) => fetched ?? []);
  if (all.length === 0) return null;
  const sum = (unit: keyof FetchedRanges) => all.reduce((total, fetched) => total + fetched[unit], 0);
  return { ranges: sum('ranges'), bytes: sum('bytes') };
}
