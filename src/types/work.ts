import { createPatternWork, type PatternWork } from './pattern.ts';

/** The work that the current validation of a validator may still take. A validator checks one value after the other. */
export interface Work {
  patterns: PatternWork;
}

export function createWork(): Work {
  return { patterns: createPatternWork() };
}
