import type { Finding } from './finding.ts';
import type { Position } from './position.ts';

/** What is wrong at a place of some file. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly position: Position;
}

const MOST = 50;

/** Problems of one file as findings, in the order of its lines; of a hopeless file, the first ones. */
export function toFindings(
  file: string,
  problems: readonly Problem[],
  severity: Finding['severity'] = 'error',
): readonly Finding[] {
  return problems
    .map(({ code, message, fix, position: { line, column } }) => ({
      severity,
      code,
      file,
      line,
      column,
      message,
      fix,
    }))
    .toSorted(byPlace)
    .slice(0, MOST);
}

/** The order in which people read findings. */
export function byPlace(one: Finding, other: Finding): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
