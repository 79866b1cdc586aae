import type { Log, LogLine } from '../../src/ports.ts';
import { isLogged } from '../../src/settings/log-level.ts';
import type { LoggingSettings } from '../../src/settings/model.ts';
import { createLogFile } from './log-file.ts';

/** The output for lines if no file is named or it cannot be written, and the format for people. */
export interface LogOutput {
  readonly write: (line: string) => void;
  readonly human: (line: LogLine) => string;
  /** Whether a person reads the lines on a terminal. */
  readonly isTerminal?: boolean;
}

/** Creates the application log: filtered by `logging.level`, as text for people or one JSON object a line. */
export function createNodeLog(settings: LoggingSettings, output: LogOutput): Log {
  if (!settings.enabled) return () => {};
  const { path, format, max_bytes, backup_count } = settings;
  const limits = { maxBytes: max_bytes, backups: backup_count };
  const write = path === null ? output.write : createLogFile(path, limits, output.write);
  const isJson = format === 'json' || (format === 'auto' && (path !== null || output.isTerminal !== true));
  return (line) => {
    if (!isLogged(line, settings)) return;
    write(isJson ? toJson(line) : path === null ? output.human(line) : toPlain(line));
  };
}

function toJson({ level, message, fields }: LogLine): string {
  return JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...fields });
}

/** Formats a line of a file; line breaks of the message become spaces. */
function toPlain({ level, message, fields }: LogLine): string {
  const rest = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
  return `${new Date().toISOString()} ${level} ${message.replaceAll(/\r?\n/g, ' ')}${rest}`;
}
