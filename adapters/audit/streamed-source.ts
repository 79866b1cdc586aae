import { type AuditFilter, fieldTextOf, matches } from '../../src/audit/filter.ts';
import type { AuditGroup } from '../../src/audit/stats.ts';
import { NewestLines } from './newest.ts';
import { readLines } from './read-lines.ts';
import type { AuditSource, Grouped, Newest } from './source.ts';

/** Reads audit files line by line, in little memory, for installations without the native engine. */
export function streamedSource(files: readonly string[]): AuditSource {
  return {
    newest: (filter, many) => newest(files, filter, many),
    groups: (filter) => groups(files, filter),
    close() {},
  };
}

async function newest(files: readonly string[], filter: AuditFilter, many: number): Promise<Newest> {
  const kept = new NewestLines(many);
  let [total, foreign] = [0, 0];
  for (const file of files) {
    for await (const lines of readLines(file)) {
      for (const { text, record } of lines) {
        if (record === null) foreign += 1;
        else if (matches(record, filter)) {
          total += 1;
          kept.add(text, record);
        }
      }
    }
  }
  return { lines: kept.take(), total, foreign };
}

async function groups(files: readonly string[], filter: AuditFilter): Promise<Grouped> {
  const found = new Map<string, AuditGroup>();
  let foreign = 0;
  for (const file of files) {
    for await (const lines of readLines(file)) {
      for (const { record } of lines) {
        if (record === null) foreign += 1;
        else if (matches(record, filter)) add(found, record.fields, record.timestamp);
      }
    }
  }
  return { groups: [...found.values()], foreign };
}

function add(
  found: Map<string, AuditGroup>,
  fields: { readonly [field: string]: unknown },
  timestamp: string,
): void {
  const own = {
    hour: timestamp.slice(0, 13),
    type: fieldTextOf(fields.operation_type) ?? '',
    name: fieldTextOf(fields.operation_name),
    status: fieldTextOf(fields.operation_status) ?? '',
    policy: fieldTextOf(fields.policy_decision),
  };
  const key = JSON.stringify(own);
  const { count, earliest, latest } = found.get(key) ?? { count: 0, earliest: timestamp, latest: timestamp };
  found.set(key, {
    ...own,
    count: count + 1,
    earliest: timestamp < earliest ? timestamp : earliest,
    latest: timestamp > latest ? timestamp : latest,
  });
}
