import { appendFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { makeFolder } from './make-folder.ts';

/** The size at which a log file is rotated, and the number of older files to keep. */
export interface LogFileLimits {
  readonly maxBytes: number;
  readonly backups: number;
}

/** Writes a line of the log; never throws. */
export type WriteLog = (line: string) => void;

/**
 * Writes lines to a file that only its owner can read. A full file becomes `<path>.1`, the previous one `<path>.2`, and
 * so on. If the disk is full or the folder is gone, lines go to `elsewhere`. Throws `config_invalid` if the file cannot
 * be opened.
 */
export function createLogFile(path: string, limits: LogFileLimits, elsewhere: WriteLog): WriteLog {
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
