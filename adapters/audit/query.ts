import { existsSync } from 'node:fs';
import type { AuditFilter } from '../../src/audit/filter.ts';
import type { AuditQuery, FoundRecord } from '../../src/audit/query.ts';
import { toStats } from '../../src/audit/stats.ts';
import { SvcError } from '../../src/errors.ts';
import { listAuditFiles } from './audit-files.ts';
import { type AuditSource, streamedSource } from './streamed-source.ts';

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
    query: async (filter, { limit, offset }) => {
      const { lines, ...counts } = await ask(filter, (source) => source.newest(filter, limit + offset));
      return { records: lines.slice(offset).map(toRecord), ...counts };
    },
    stats: async (filter) => toStats((await ask(filter, (source) => source.groups(filter))).groups),
    groups: (filter) => ask(filter, (source) => source.groups(filter)),
  };
}

/** Lists the existing files that may hold matching records. */
export async function filesOf(path: string, { start_time }: AuditFilter): Promise<readonly string[]> {
  const files = await listAuditFiles(path);
  const since = start_time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(start_time);
  return files
    .filter((file) => (file.closedAt ?? Number.POSITIVE_INFINITY) >= since && existsSync(file.path))
    .map((file) => file.path);
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
