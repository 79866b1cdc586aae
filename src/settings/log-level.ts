import type { LogLine } from '../ports.ts';
import type { LoggingSettings } from './model.ts';

type Level = LogLine['level'];

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];
const FIRST = { DEBUG: 0, INFO: 1, WARNING: 2, ERROR: 3, CRITICAL: 4 } as const;

/** The levels of the lines that `logging` lets through. */
export function loggedLevels({
  enabled,
  level,
}: Pick<LoggingSettings, 'enabled' | 'level'>): ReadonlySet<Level> {
  return new Set(enabled ? LEVELS.slice(FIRST[level]) : []);
}
