import { exampleValues } from '../../call/result-fields.ts';
import type { Catalog, CompiledSql, ResourceEntry, ToolEntry } from '../../catalog/model.ts';
import { SvcError } from '../../errors.ts';
import type { JsonValue } from '../../json.ts';
import type { Database } from '../../ports.ts';
import type { Finding } from '../../project/finding.ts';
import type { ResourceEndpoint, ToolEndpoint } from '../../project/model.ts';
import { groupsOfValue, readTableBlocks, type TableBlocks } from './blocks.ts';
import { type TableScan, tableScansOf } from './scans.ts';

type Sourced = ToolEndpoint | ResourceEndpoint;

/** The limits of a platform that reads the database by ranges. */
interface RangeLimits {
  /** The platform's name for messages. */
  readonly platform: string;
  /** The most ranges of one call. */
  readonly ranges: number;
  /** The bytes of one range. */
  readonly blockBytes: number;
}

/** A planned scan with its ranges: as the table is, and sorted by the column that helps most. */
interface Reading {
  readonly ranges: number;
  readonly sorted: { readonly table: string; readonly column: string; readonly ranges: number } | null;
}

/**
 * Finds endpoints whose plan reads more ranges or bytes than a call may, and names the order of rows that would help.
 * Plans with example values, and runs nothing. A statement that cannot be planned so has another finding, or none.
 */
export async function checkRanges(
  endpoints: readonly Sourced[],
  catalog: Catalog,
  database: Database,
  limits: RangeLimits,
): Promise<readonly Finding[]> {
  const tables = new Map<string, Promise<TableBlocks>>();
  const blocksOf = (scan: TableScan): Promise<TableBlocks> => {
    const name = JSON.stringify([scan.schema, scan.table]);
    const blocks = tables.get(name) ?? readTableBlocks(database, scan, limits.blockBytes);
    tables.set(name, blocks);
    return blocks;
  };
  const findings: Finding[] = [];
  for (const endpoint of endpoints) {
    const entry = endpoint.kind === 'tool' ? catalog.tools[endpoint.name] : catalog.resources[endpoint.uri];
    if (entry === undefined || entry.source.language !== 'sql' || entry.source.mode === 'write') continue;
    const plan = await planOf(entry, entry.source, database);
    const readings: Reading[] = [];
    for (const scan of tableScansOf(plan, entry.limits.rows))
      readings.push(toReading(scan, await blocksOf(scan), entry.limits.rows));
    findings.push(...toFindings(endpoint, readings, entry.limits.scanBytes, limits));
  }
  return findings;
}

async function planOf(
  entry: ToolEntry | ResourceEntry,
  { sql, order }: CompiledSql,
  database: Database,
): Promise<JsonValue> {
  try {
    const values = exampleValues(entry, order);
    return (await database.explain?.({ sql, values, maxRows: entry.limits.rows })) ?? null;
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.code !== 'database_unavailable') return null;
    throw thrown;
  }
}

function toReading(scan: TableScan, table: TableBlocks, maxRows: number): Reading {
  const usual = scan.skipping.map(({ name, equal }) =>
    equal && table.indexed.has(name) ? 1 : groupsOfValue(table, name),
  );
  const ranges = rangesOf(scan, table, Math.min(table.groups, ...usual), maxRows);
  const sorted = rangesOf(scan, table, 1, maxRows);
  const [column] = scan.skipping.toSorted((one, other) => Number(other.equal) - Number(one.equal));
  const name = scan.schema === 'main' ? scan.table : `${scan.schema}.${scan.table}`;
  return {
    ranges,
    sorted:
      column === undefined || sorted >= ranges ? null : { table: name, column: column.name, ranges: sorted },
  };
}

/** The ranges of a scan that reads so many groups of rows. */
function rangesOf(scan: TableScan, table: TableBlocks, groups: number, maxRows: number): number {
  const { columns, filtered, rows, stopsEarly, top, fetched } = scan;
  const all = Math.max(1, table.groups);
  const early = stopsEarly ? Math.max(1, (all * maxRows) / Math.max(1, rows)) : all;
  const share = Math.min(groups, early, Math.max(1, top ?? all), all) / all;
  const blocks = columns.map((name) => table.columns.get(name)?.blocks ?? new Set<number>());
  if (share === 1 && fetched === null && filtered.length === 0)
    return new Set(blocks.flatMap((some) => [...some])).size;
  const counts = columns.map((name, at) => {
    const most = Math.ceil((blocks[at]?.size ?? 0) * share);
    if (fetched !== null) return Math.min(most, fetched);
    // The blocks of other columns are read where a row passes the filters.
    return filtered.length === 0 || filtered.includes(name) ? most : Math.min(most, rows);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function toFindings(
  endpoint: Sourced,
  readings: readonly Reading[],
  scanBytes: number | undefined,
  { platform, ranges: most, blockBytes }: RangeLimits,
): readonly Finding[] {
  const ranges = readings.reduce((sum, reading) => sum + reading.ranges, 0);
  const bytes = ranges * blockBytes;
  const limit =
    scanBytes !== undefined && bytes > scanBytes
      ? `\`limits.scan_bytes\` of the endpoint allows ${scanBytes.toLocaleString('en')} bytes`
      : ranges > most
        ? `a call on ${platform} may read ${most.toLocaleString('en')} ranges`
        : null;
  if (limit === null) return [];
  const { file, source } = endpoint;
  return [
    {
      severity: 'warning',
      code: 'too-many-ranges',
      file: source.file ?? file,
      line: source.file === null ? source.line : 1,
      column: source.file === null ? source.column : 1,
      message: `The plan reads about ${ranges.toLocaleString('en')} ranges (${bytes.toLocaleString('en')} bytes) of the database, but ${limit}, so the call would end with scan_too_large.`,
      fix: fixOf(readings, platform),
    },
  ];
}

function fixOf(readings: readonly Reading[], platform: string): string {
  const helpful = readings
    .flatMap(({ ranges, sorted }) => (sorted === null ? [] : [{ ...sorted, saved: ranges - sorted.ranges }]))
    .toSorted((one, other) => other.saved - one.saved);
  const [best] = helpful;
  const less =
    'Filter by a column by which the table is sorted or indexed, read fewer columns, or store the result as a table of its own.';
  if (best === undefined) return less;
  return `Sort the table by ${best.column}: \`svc build --target ${platform} --sort ${best.table}=${best.column}\` reads about ${best.ranges.toLocaleString('en')} ranges of it. Or: ${less.charAt(0).toLowerCase()}${less.slice(1)}`;
}
