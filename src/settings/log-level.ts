import type { LogLine } from '../ports.ts';
import type { LoggingSettings } from './model.ts';

/** The level of a line of the log. */
type Level = LogLine['level'];

/** The levels whose lines are written; they may change while the log is open. */
export type LoggedLevels = Pick<ReadonlySet<Level>, 'has'>;

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];
const FIRST = { DEBUG: 0, INFO: 1, WARNING: 2, ERROR: 3, CRITICAL: 4 } as const;

/** The levels of the lines that `logging` lets through. */
export function loggedLevels({
  enabled,
  level,
}: Pick<LoggingSettings, 'enabled' | 'level'>): ReadonlySet<Level> {
  return new Set(enabled ? LEVELS.slice(FIRST[level]) : []);
}
