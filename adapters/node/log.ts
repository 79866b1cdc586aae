import type { Log, LogLine } from '../../src/ports.ts';
import { isLogged } from '../../src/settings/log-level.ts';
import type { LoggingSettings } from '../../src/settings/model.ts';
import { createLogFile } from './log-file.ts';

/** How a line for people looks, and where lines go when no file is named, or it takes none. */
export interface LogOutput {
  readonly write: (line: string) => void;
  readonly human: (line: LogLine) => string;
}

/** The application log as `logging` has it: by level, for people or as one JSON object a line. */
export function createNodeLog(settings: LoggingSettings, output: LogOutput): Log {
  if (!settings.enabled) return () => {};
  const { path, format, max_bytes, backup_count } = settings;
  const limits = { maxBytes: max_bytes, backups: backup_count };
  const write = path === null ? output.write : createLogFile(path, limits, output.write);
  return (line) => {
    if (!isLogged(line, settings)) return;
    write(format === 'json' ? toJson(line) : path === null ? output.human(line) : toPlain(line));
  };
}

function toJson({ level, message, fields }: LogLine): string {
  return JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...fields });
}

/** One line of a file, whatever the message has. */
function toPlain({ level, message, fields }: LogLine): string {
  const rest = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
  return `${new Date().toISOString()} ${level} ${message.replaceAll(/\r?\n/g, ' ')}${rest}`;
}
