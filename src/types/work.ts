import { createPatternWork, type PatternWork } from './pattern.ts';

/** The work that the current validation of a validator may still take. A validator checks one value after the other. */
export interface Work {
  patterns: PatternWork;
  /** The number of unknown names that get a hint. */
  hints: number;
}

/** The most violations that one validation reports. */
export const MAX_ISSUES = 50;

export function createWork(): Work {
  return { patterns: createPatternWork(), hints: MAX_ISSUES };
}
