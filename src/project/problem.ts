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

/** Problems of one file as errors; of a hopeless file, the first ones. */
export function toFindings(file: string, problems: readonly Problem[]): readonly Finding[] {
  return problems
    .toSorted((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
    .slice(0, MOST)
    .map(({ position, ...problem }) => ({ severity: 'error', file, ...position, ...problem }));
}
