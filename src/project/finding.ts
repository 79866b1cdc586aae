/** What a check found: where, why, and how to fix it. Checks return these and never throw. */
export interface Finding {
  readonly severity: 'error' | 'warning' | 'info';
  /** Stable, e.g. `yaml-syntax`, `unknown-key`, `missing-field`, `source-missing`. */
  readonly code: string;
  /** Relative to the project's root, `/` separators. */
  readonly file: string;
  /** 1-based; 0 where the finding concerns the whole file. */
  readonly line: number;
  readonly column: number;
  /** What is wrong and why, one sentence. */
  readonly message: string;
  /** What to do about it, one sentence. */
  readonly fix: string;
}
