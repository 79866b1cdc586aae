import type { CallLimits } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import { isObject } from '../json.ts';
import type { Database, ScanEstimate, ScanLimits, Span, SqlCall, SqlRequest, SqlResult } from '../ports.ts';

/** The limits of one call, the span of its statement, and the list that collects estimates for the audit record. */
export interface ScanContext {
  readonly limits: CallLimits;
  readonly span: Span;
  readonly scans: ScanEstimate[];
}

/** Runs a statement within the limits of its endpoint on scans, and notes its estimate. */
export async function runScanned(
  database: Database,
  request: SqlRequest,
  call: SqlCall,
  { limits, span, scans }: ScanContext,
): Promise<SqlResult> {
  const limit = toScanLimits(limits);
  if (limit === null) return database.run(request, call);
  const note = (estimate: ScanEstimate | null): void => {
    if (estimate === null) return;
    scans.push(estimate);
    if (estimate.rows !== null) span.set({ 'db.scan.estimated_rows': estimate.rows });
    if (estimate.bytes !== null) span.set({ 'db.scan.estimated_bytes': estimate.bytes });
  };
  try {
    const result = await database.run({ ...request, scan: limit }, call);
    note(result.estimate ?? null);
    return result;
  } catch (thrown) {
    note(estimateOf(thrown));
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

function toNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Adds the estimates of the statements of one call; null for a unit that some estimate lacks. */
export function totalOf(scans: readonly ScanEstimate[]): ScanEstimate | null {
  if (scans.length === 0) return null;
  const total = (unit: keyof ScanEstimate) =>
    scans.reduce<number | null>((sum, scan) => {
      const value = scan[unit];
      return sum === null || value === null ? null : sum + value;
    }, 0);
  return { rows: total('rows'), bytes: total('bytes') };
}
