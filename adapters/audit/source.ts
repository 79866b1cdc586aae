import type { AuditFilter } from '../../src/audit/filter.ts';
import type { AuditGroup } from '../../src/audit/stats.ts';

/** The newest records, as they stand in their files. */
export interface Newest {
  readonly lines: readonly string[];
  /** How many match in all. */
  readonly total: number;
  /** Lines that are no records. */
  readonly foreign: number;
}

/** What is counted of the records that match. */
export interface Grouped {
  readonly groups: readonly AuditGroup[];
  readonly foreign: number;
}

/** A way to read audit files; every way has the same answers. */
export interface AuditSource {
  newest(filter: AuditFilter, many: number): Promise<Newest>;
  groups(filter: AuditFilter): Promise<Grouped>;
  close(): void;
}
