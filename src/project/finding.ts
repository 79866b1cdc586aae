/**
 * The result of a check: the problem, its place and its fix. Checks return findings
 * and never throw. A new code needs a row in `scripts/docs/errors/findings.ts`.
 */
export interface Finding {
  readonly severity: 'error' | 'warning' | 'info';
  /** Stable, e.g. `yaml-syntax`, `unknown-key`, `missing-field`, `source-missing`. */
  readonly code: string;
  /** Relative to the project's root, with `/` as separator. */
  readonly file: string;
  /** Counts from 1; 0 if the finding concerns the whole file. */
  readonly line: number;
  readonly column: number;
  /** One sentence about the problem and its cause. */
  readonly message: string;
  /** One sentence about the fix. */
  readonly fix: string;
  /** The endpoint is served in spite of this error, because the error is in its `tests`. */
  readonly served?: true;
}

/** Whether a finding keeps its endpoint, or the project, from being served. */
export function preventsServing({ severity, served }: Finding): boolean {
  return severity === 'error' && served !== true;
}
