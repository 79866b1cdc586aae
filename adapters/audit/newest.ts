import {
  type AuditFilter,
  type AuditLine,
  fieldTextOf,
  matches,
  toAuditLine,
} from '../../src/audit/filter.ts';

interface Kept {
  readonly key: string;
  readonly text: string;
}

/** Keeps the `many` newest records of those that are added, in little memory. */
export class NewestLines {
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
