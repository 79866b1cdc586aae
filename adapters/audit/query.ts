import { stat } from 'node:fs/promises';
import type { AuditFilter } from '../../src/audit/filter.ts';
import type { AuditQuery, FoundRecord } from '../../src/audit/query.ts';
import { toStats } from '../../src/audit/stats.ts';
import { SvcError } from '../../src/errors.ts';
import { listAuditFiles } from './audit-files.ts';
import { type AuditSource, type Counted, type Newest, type Page, streamedSource } from './streamed-source.ts';

/**
 * The reader of audit files: DuckDB (`native`), line by line (`streamed`), or DuckDB if it is installed
 * (`auto`).
 */
export type Reader = 'auto' | 'native' | 'streamed';

/** Creates the query over an audit file and the files that were rotated from it. */
export function createAuditQuery(path: string, reader: Reader = 'auto'): AuditQuery {
  const ask = async <T>(filter: AuditFilter, work: (source: AuditSource) => Promise<T>): Promise<T> => {
    const files = await filesOf(path, filter);
    if (reader !== 'streamed' && files.length > 0) {
      const { nativeSource } = await import('./duckdb-source.ts');
      try {
        return await use(await nativeSource(files), work);
      } catch (thrown) {
        // DuckDB is not installed, or a file cannot be read by it, for example because it was deleted a moment ago.
        if (reader === 'native') throw thrown;
      }
    }
    return use(streamedSource(files), work);
  };
  return {
    query: async (filter, page) => {
      const { lines, ...counts } = await ask(filter, (source) => pageOf(source, filter, page));
      return { records: lines.map(toRecord), ...counts };
    },
    stats: async (filter) => toStats((await ask(filter, (source) => source.groups(filter, 'kinds'))).groups),
    groups: (filter) => ask(filter, (source) => source.groups(filter, 'hours and names')),
  };
}

/** For a page after more records than this, the records are counted first, to find the time of the page. */
const MAX_SKIPPED = 10_000;
/** A character after all those of timestamps. */
const END = '~';

/** Reads a page, in memory for a part of the records before it only: those of its first hour, or of its first second. */
async function pageOf(source: AuditSource, filter: AuditFilter, page: Page): Promise<Newest> {
  let [part, rest] = [filter, page];
  let all: { readonly total: number; readonly foreign: number } | null = null;
  for (const characters of ['2026-08-01T12'.length, '2026-08-01T12:00:00'.length]) {
    if (rest.offset <= MAX_SKIPPED) break;
    const counted = await source.count(part, characters);
    const total = [...counted.counts.values()].reduce((sum, many) => sum + many, 0);
    all ??= { total, foreign: counted.foreign };
    if (total <= rest.offset) return { lines: [], ...all };
    ({ part, rest } = narrow(part, rest, counted));
  }
  const found = await source.newest(part, rest);
  return { ...found, ...all };
}

/** Narrows a filter to the moments in which a page lies. */
function narrow(filter: AuditFilter, { limit, offset }: Page, { counts }: Counted) {
  const newestFirst = [...counts].toSorted(([one], [other]) => (one < other ? 1 : -1));
  let [newer, seen] = [0, 0];
  const moments: string[] = [];
  for (const [moment, many] of newestFirst) {
    if (seen >= offset + limit) break;
    seen += many;
    if (seen <= offset) newer = seen;
    else moments.push(moment);
  }
  const [latest = '', earliest = latest] = [moments[0], moments.at(-1)];
  const [start = '', end = END] = [filter.start_time, filter.end_time];
  return {
    part: {
      ...filter,
      start_time: start > earliest ? start : earliest,
      end_time: end < `${latest}${END}` ? end : `${latest}${END}`,
    },
    rest: { limit, offset: offset - newer },
  };
}

/**
 * Lists the existing files that may hold matching records. Throws `not_found` if the records go to a pipe or a device,
 * because reading takes them from their reader, and may wait forever.
 */
export async function filesOf(path: string, { start_time }: AuditFilter): Promise<readonly string[]> {
  const files = await listAuditFiles(path);
  const since = start_time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(start_time);
  const found: string[] = [];
  for (const file of files) {
    if ((file.closedAt ?? Number.POSITIVE_INFINITY) < since) continue;
    const kind = await stat(file.path).catch(() => null);
    if (kind?.isFile()) found.push(file.path);
    else if (kind !== null && file.closedAt === null) throw unreadable(path);
  }
  return found;
}

function unreadable(path: string): SvcError {
  return new SvcError(
    'not_found',
    `Audit records go to ${path}, which is not a file, so svc cannot read them. Ask the program that receives them.`,
  );
}

async function use<T>(source: AuditSource, work: (source: AuditSource) => Promise<T>): Promise<T> {
  try {
    return await work(source);
  } finally {
    source.close();
  }
}

function toRecord(line: string): FoundRecord {
  const found: unknown = JSON.parse(line);
  if (typeof found === 'object' && found !== null) return { ...found };
  throw new SvcError('internal', 'a line was counted as a record, but is not a JSON object');
}
