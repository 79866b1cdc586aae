import type { Position } from './yaml/position.ts';

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

/** A problem at a place of a known file. */
export interface SourceIssue {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly position: Position;
}

/** The most problems that are reported for one file. The last one states that there are more. */
export const MOST_PROBLEMS = 50;

/** The most characters of a text of a finding, which may quote names of any length. */
const MOST_CHARACTERS = 1_000;

function shorten(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}

/** Converts issues of one file to findings, ordered by line. Only the first ones of a file with very many are kept. */
export function toFindings(
  file: string,
  problems: readonly SourceIssue[],
  severity: Finding['severity'] = 'error',
): readonly Finding[] {
  const all = problems
    .map(({ code, message, fix, position: { line, column } }) => ({
      severity,
      code,
      file,
      line,
      column,
      message: shorten(message),
      fix: shorten(fix),
    }))
    .toSorted(byPlace);
  const [shown, next] = [all.slice(0, MOST_PROBLEMS - 1), all[MOST_PROBLEMS - 1]];
  if (next === undefined || all.length === MOST_PROBLEMS) return next ? [...shown, next] : shown;
  const message = 'There are further problems after this line.';
  return [...shown, { ...next, code: 'more', message, fix: 'Correct the problems above first.' }];
}

/** Orders findings by file, line and column. */
export function byPlace(one: Finding, other: Finding): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
