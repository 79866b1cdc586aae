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

/** Keeps the newest of many records, in the memory of a few. */
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

  /** Newest first. */
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

/** Those of some lines that are wanted, newest first. */
export function toNewest(lines: readonly string[], filter: AuditFilter, many: number): readonly string[] {
  const newest = new NewestLines(many);
  for (const text of lines) {
    const record = toAuditLine(text);
    if (record !== null && matches(record, filter)) newest.add(text, record);
  }
  return newest.take();
}
