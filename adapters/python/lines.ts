import type { Readable } from 'node:stream';
import type { Log } from '../../src/ports.ts';

const MAX_LINE = 2_000;
/** What one call may print; the rest is counted. */
const MAX_LINES = 200;

/** Passes what a process prints on to the log. */
export interface PrintedLines {
  /** From here on lines are those of this file. */
  begin(file: string): void;
  /** What was printed last, for a process that would not start. */
  last(): string;
}

/** Follows what a process prints, line by line, bounded. */
export function followLines(stream: Readable, log: Log): PrintedLines {
  let source = 'python';
  let rest = '';
  let written = 0;
  let dropped = 0;
  const recent: string[] = [];
  const write = (line: string) => {
    if (recent.push(line.slice(0, MAX_LINE)) > 20) recent.shift();
    written += 1;
    if (written > MAX_LINES) dropped += 1;
    else log({ level: 'info', message: `${source}: ${line.slice(0, MAX_LINE)}` });
  };
  const close = () => {
    if (dropped > 0) log({ level: 'warn', message: `${source}: ${dropped} more lines were printed` });
    written = 0;
    dropped = 0;
  };
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) if (line.trim() !== '') write(line.trimEnd());
  });
  stream.on('close', () => {
    if (rest.trim() !== '') write(rest.trimEnd());
    close();
  });
  return {
    begin(file) {
      close();
      source = file;
    },
    last: () => recent.join('\n'),
  };
}
