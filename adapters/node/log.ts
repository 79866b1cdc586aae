import { appendFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { jsonLine, oneLine } from '../../src/one-line.ts';
import type { Log, LogLine } from '../../src/ports.ts';
import { loggedLevels } from '../../src/settings/log-level.ts';
import type { LoggingSettings } from '../../src/settings/model.ts';
import { absolutePath } from './absolute-path.ts';
import { makeFolder } from './make-folder.ts';

/** The output for lines if no file is named or it cannot be written, and the format for people. */
export interface LogOutput {
  readonly write: (line: string) => void;
  readonly human: (line: LogLine) => string;
  /** Whether a person reads the lines on a terminal. */
  readonly isTerminal?: boolean;
  /** The bytes of lines that wait to be read. */
  readonly waitingBytes?: () => number;
}

/** Creates the application log: filtered by `logging.level`, as text for people or one JSON object a line. */
export function createNodeLog(settings: LoggingSettings, output: LogOutput): Log {
  if (!settings.enabled) return () => {};
  const { format, max_bytes, backup_count } = settings;
  const path = settings.path === null ? null : absolutePath('', settings.path);
  const levels = loggedLevels(settings);
  const limits = { maxBytes: max_bytes, backups: backup_count };
  const gathers = path === null && output.isTerminal !== true;
  const isJson = format === 'json' || (format === 'auto' && (path !== null || output.isTerminal !== true));
  const toText = isJson ? toJson : path === null ? output.human : toPlain;
  const write = path === null ? output.write : createLogFile(path, limits, output.write);
  const put = gathers ? gatherCalls(output, toText) : write;
  return (line) => {
    if (levels.has(line.level)) put(toText(line), line.isCall);
  };
}

/** The time that a line about a call waits for others, in milliseconds. */
const GATHER_MS = 10;

/** The bytes of unread lines above which lines about calls are left out, because unread lines stay in memory. */
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * Writes the lines about several calls at once, in order, because one write costs as much as the response to a call.
 * Leaves them out while too many bytes wait to be read, and says later how many are missing.
 */
function gatherCalls(
  { write, waitingBytes = () => 0 }: LogOutput,
  toText: (line: LogLine) => string,
): (line: string, isCall?: boolean) => void {
  let calls: string[] = [];
  let missing = 0;
  const takeCalls = (): readonly string[] => {
    const taken = calls;
    calls = [];
    if (waitingBytes() > MOST_WAITING_BYTES) {
      missing += taken.length;
      return [];
    }
    if (missing === 0) return taken;
    const message = `${missing} lines about calls are missing, because the log was not read`;
    missing = 0;
    return [toText({ level: 'warn', message }), ...taken];
  };
  const writeAll = (last: readonly string[]) => {
    const lines = [...takeCalls(), ...last];
    if (lines.length > 0) write(lines.join('\n'));
    process.off('exit', flush);
  };
  const flush = () => writeAll([]);
  return (line, isCall = false) => {
    if (!isCall) return writeAll([line]);
    calls.push(line);
    if (calls.length > 1) return;
    // Others may end the process at once when they are told of its end.
    process.prependListener('exit', flush);
    setTimeout(flush, GATHER_MS).unref();
  };
}

function toJson({ level, message, fields }: LogLine): string {
  return jsonLine({ timestamp: new Date().toISOString(), level, message, ...fields });
}

/** Formats a line of a file. */
function toPlain({ level, message, fields }: LogLine): string {
  const rest = fields === undefined ? '' : ` ${jsonLine(fields)}`;
  return `${new Date().toISOString()} ${level} ${oneLine(message)}${rest}`;
}

/** The size at which a log file is rotated, and the number of older files to keep. */
interface LogFileLimits {
  readonly maxBytes: number;
  readonly backups: number;
}

/** Writes a line of the log; never throws. */
type WriteLog = (line: string) => void;

/**
 * Writes lines to a file that only its owner can read. A full file becomes `<path>.1`, the previous one `<path>.2`, and
 * so on. If the disk is full or the folder is gone, lines go to `elsewhere`. Throws `config_invalid` if the file cannot
 * be opened.
 */
function createLogFile(path: string, limits: LogFileLimits, elsewhere: WriteLog): WriteLog {
  let size = open(path);
  let failing = false;
  const append = (line: string) => {
    const bytes = Buffer.byteLength(line) + 1;
    if (size > 0 && size + bytes > limits.maxBytes) {
      rotate(path, limits.backups);
      size = 0;
    }
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
    size += bytes;
  };
  return (line) => {
    try {
      append(line);
      failing = false;
    } catch (thrown) {
      if (!failing) elsewhere(`The log file ${path} cannot be written, so its lines appear here: ${thrown}`);
      failing = true;
      elsewhere(line);
    }
  };
}

/**
 * Opens the file and returns its size in bytes. A file that cannot be written is reported before the server
 * starts.
 */
function open(path: string): number {
  try {
    makeFolder(dirname(path));
    appendFileSync(path, '', { mode: 0o600 });
    return statSync(path).size;
  } catch (cause) {
    throw new SvcError(
      'config_invalid',
      `The log file ${path}, which \`logging.path\` names, cannot be written. Give this user write access to it, or name another file.`,
      {
        cause,
      },
    );
  }
}

function rotate(path: string, backups: number): void {
  const nameOf = (index: number) => (index === 0 ? path : `${path}.${index}`);
  rmSync(nameOf(backups), { force: true });
  for (let index = backups - 1; index >= 0; index -= 1) {
    if (existsSync(nameOf(index))) renameSync(nameOf(index), nameOf(index + 1));
  }
}
