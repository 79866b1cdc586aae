import type { LogLine } from '../ports.ts';
import type { LoggingSettings } from './model.ts';

const RANKS = { debug: 0, info: 1, warn: 2, error: 3 } as const;
const LEAST = { DEBUG: 0, INFO: 1, WARNING: 2, ERROR: 3, CRITICAL: 4 } as const;

/** Whether a line passes the level of `logging`. */
export function isLogged(
  { level }: Pick<LogLine, 'level'>,
  logging: Pick<LoggingSettings, 'enabled' | 'level'>,
): boolean {
  return logging.enabled && RANKS[level] >= LEAST[logging.level];
}
