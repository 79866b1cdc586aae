import type { AuditFilter } from '../../src/audit/filter.ts';
import type { AuditGroup } from '../../src/audit/stats.ts';

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
