import type { Finding } from './finding.ts';
import type { Position } from './yaml/position.ts';

/** What is wrong at a place of some file. */
export interface SourceIssue {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly position: Position;
}

/** So many problems of one file are told; the last of them is that there are more. */
export const MOST_PROBLEMS = 50;

/** Problems of one file as findings, in the order of its lines; of a hopeless file, the first ones. */
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
      message,
      fix,
    }))
    .toSorted(byPlace);
  const [shown, next] = [all.slice(0, MOST_PROBLEMS - 1), all[MOST_PROBLEMS - 1]];
  if (next === undefined || all.length === MOST_PROBLEMS) return next ? [...shown, next] : shown;
  const message = 'There are more problems from here on.';
  return [...shown, { ...next, code: 'more', message, fix: 'Correct those above first.' }];
}

/** The order in which people read findings. */
export function byPlace(one: Finding, other: Finding): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
