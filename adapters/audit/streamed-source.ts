import {
  type AuditFilter,
  type AuditLine,
  fieldTextOf,
  matches,
  toAuditLine,
} from '../../src/audit/filter.ts';
import type { AuditGroup } from '../../src/audit/stats.ts';
import { readLines } from './read-lines.ts';

/** The newest records, as lines of their files. */
export interface Newest {
  readonly lines: readonly string[];
  /** The number of all matching records. */
  readonly total: number;
  /** The number of lines that are not records. */
  readonly foreign: number;
}

/** Counts of the matching records. */
export interface Grouped {
  readonly groups: readonly AuditGroup[];
  readonly foreign: number;
}

/** A reader of audit files. All readers give the same answers. */
export interface AuditSource {
  newest(filter: AuditFilter, many: number): Promise<Newest>;
  groups(filter: AuditFilter): Promise<Grouped>;
  close(): void;
}

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

interface Kept {
  readonly key: string;
  readonly text: string;
}

/** Keeps the `many` newest records of those that are added, in little memory. */
class NewestLines {
  readonly #many: number;
  #kept: Kept[] = [];

  constructor(many: number) {
    this.#many = many;
  }

  add(text: string, { timestamp, fields }: AuditLine): void {
    this.#kept.push({ key: `${timestamp} ${fieldTextOf(fields.record_id) ?? ''}`, text });
    if (this.#kept.length > 2 * this.#many + 1_000) this.#trim();
  }

  /** Returns the kept lines, newest first. */
  take(): readonly string[] {
    this.#trim();
    return this.#kept.map(({ text }) => text);
  }

  #trim(): void {
    const sorted = this.#kept.toSorted((one, other) =>
      one.key < other.key ? 1 : one.key > other.key ? -1 : 0,
    );
    this.#kept = sorted.slice(0, this.#many);
  }
}

/** Returns the newest lines that match a filter, newest first. */
export function toNewest(lines: readonly string[], filter: AuditFilter, many: number): readonly string[] {
  const newest = new NewestLines(many);
  for (const text of lines) {
    const record = toAuditLine(text);
    if (record !== null && matches(record, filter)) newest.add(text, record);
  }
  return newest.take();
}
