import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../../src/errors.ts';

/** How large a log file grows, and how many older ones are kept beside it. */
export interface LogFileLimits {
  readonly maxBytes: number;
  readonly backups: number;
}

/** Takes a line of the log; never throws. */
export type WriteLog = (line: string) => void;

/**
 * Writes lines to a file that only its owner reads; a full one becomes `<path>.1`, that one `<path>.2`, and so on. Lines
 * that it cannot take, because the disk is full or the folder gone, are written elsewhere.
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
      if (!failing) elsewhere(`The log file ${path} takes no lines, so they come here: ${thrown}`);
      failing = true;
      elsewhere(line);
    }
  };
}

/** Its size; a file that cannot be written to is found out before anything is served. */
function open(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, '', { mode: 0o600 });
    return statSync(path).size;
  } catch (cause) {
    throw new SvcError(
      'config_invalid',
      `The log file ${path}, which \`logging.path\` names, cannot be written to.`,
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
