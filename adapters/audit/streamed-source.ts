import { type FileHandle, open } from 'node:fs/promises';
import {
  type AuditFilter,
  type AuditLine,
  fieldTextOf,
  matches,
  toAuditLine,
} from '../../src/audit/filter.ts';
import type { AuditGroup } from '../../src/audit/stats.ts';
import { type ReadLine, readLines } from './read-lines.ts';

/** A part of the matching records, which are in order of time, the newest first. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The records of a page, as lines of their files, the newest first. */
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

/** The numbers of matching records by the first characters of their timestamps. */
export interface Counted {
  readonly counts: ReadonlyMap<string, number>;
  readonly foreign: number;
}

/** Whether groups tell hours and names. Clients may invent any number of names, so that such groups are for a process of their own. */
export type Detail = 'hours and names' | 'kinds';

/** A reader of audit files. All readers give the same answers. */
export interface AuditSource {
  /** Takes memory for `offset` and `limit` records. */
  newest(filter: AuditFilter, page: Page): Promise<Newest>;
  count(filter: AuditFilter, characters: number): Promise<Counted>;
  groups(filter: AuditFilter, detail: Detail): Promise<Grouped>;
  close(): void;
}

/** Reads audit files line by line, in little memory, for installations without the native engine. */
export function streamedSource(files: readonly string[]): AuditSource {
  return {
    newest: (filter, page) => newest(files, filter, page),
    count: (filter, characters) => count(files, filter, characters),
    groups: (filter, detail) => groups(files, filter, detail),
    close() {},
  };
}

/** Calls `take` for each matching record. Returns the number of lines that are not records. */
async function scan(
  file: string | FileHandle,
  filter: AuditFilter,
  take: (record: AuditLine, line: ReadLine) => void,
): Promise<number> {
  let foreign = 0;
  for await (const lines of readLines(file)) {
    for (const line of lines) {
      if (line.record === null) foreign += 1;
      else if (matches(line.record, filter)) take(line.record, line);
    }
  }
  return foreign;
}

/** Keeps the places of the newest lines, and reads the lines of the page at the end. */
async function newest(
  files: readonly string[],
  filter: AuditFilter,
  { limit, offset }: Page,
): Promise<Newest> {
  const kept = new NewestPlaces(offset + limit);
  const opened: FileHandle[] = [];
  let [total, foreign] = [0, 0];
  try {
    for (const path of files) {
      // The file stays open until its lines are read, because another one may take its name.
      const file = await open(path).catch(ifMissing);
      if (file === null) continue;
      opened.push(file);
      foreign += await scan(file, filter, (record, { start, length }) => {
        total += 1;
        kept.add({ key: keyOf(record), file, start, length });
      });
    }
    const lines: string[] = [];
    for (const place of kept.take().slice(offset)) lines.push(await readPlace(place));
    return { lines, total, foreign };
  } finally {
    await Promise.all(opened.map((file) => file.close()));
  }
}

function ifMissing(thrown: NodeJS.ErrnoException): null {
  if (thrown.code === 'ENOENT') return null;
  throw thrown;
}

async function readPlace({ file, start, length }: Place): Promise<string> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, start);
  return buffer.toString('utf8');
}

async function count(files: readonly string[], filter: AuditFilter, characters: number): Promise<Counted> {
  const counts = new Map<string, number>();
  let foreign = 0;
  for (const file of files) {
    foreign += await scan(file, filter, ({ timestamp }) => {
      const moment = timestamp.slice(0, characters);
      counts.set(moment, (counts.get(moment) ?? 0) + 1);
    });
  }
  return { counts, foreign };
}

async function groups(files: readonly string[], filter: AuditFilter, detail: Detail): Promise<Grouped> {
  const found = new Map<string, AuditGroup>();
  let foreign = 0;
  for (const file of files) {
    foreign += await scan(file, filter, ({ fields, timestamp }) => add(found, detail, fields, timestamp));
  }
  return { groups: [...found.values()], foreign };
}

function add(
  found: Map<string, AuditGroup>,
  detail: Detail,
  fields: { readonly [field: string]: unknown },
  timestamp: string,
): void {
  const own = {
    hour: detail === 'kinds' ? '' : timestamp.slice(0, 13),
    type: fieldTextOf(fields.operation_type) ?? '',
    name: detail === 'kinds' ? null : fieldTextOf(fields.operation_name),
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

/** The place of a record, and the key that orders it. */
interface Place {
  readonly key: string;
  readonly file: FileHandle;
  readonly start: number;
  readonly length: number;
}

/** Records are in order of their time, and of their id within it. */
function keyOf({ timestamp, fields }: AuditLine): string {
  return `${timestamp} ${fieldTextOf(fields.record_id) ?? ''}`;
}

function newestFirst<T extends { readonly key: string }>(list: readonly T[]): readonly T[] {
  return list.toSorted((one, other) => (one.key < other.key ? 1 : one.key > other.key ? -1 : 0));
}

/** Keeps the places of the `many` newest records of those that are added. */
class NewestPlaces {
  readonly #many: number;
  #kept: Place[] = [];

  constructor(many: number) {
    this.#many = many;
  }

  add(place: Place): void {
    this.#kept.push(place);
    if (this.#kept.length > 2 * this.#many + 1_000) this.#kept = [...this.take()];
  }

  /** Returns the kept places, newest first. */
  take(): readonly Place[] {
    return newestFirst(this.#kept).slice(0, this.#many);
  }
}

/** Returns the lines that match a filter, newest first. */
export function toNewest(lines: readonly string[], filter: AuditFilter): readonly string[] {
  const found = lines.flatMap((text) => {
    const record = toAuditLine(text);
    return record !== null && matches(record, filter) ? [{ key: keyOf(record), text }] : [];
  });
  return newestFirst(found).map(({ text }) => text);
}
