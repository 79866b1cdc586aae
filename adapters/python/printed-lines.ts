import type { Readable } from 'node:stream';
import type { Log, PythonSettings } from '../../src/ports.ts';

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

/** The same where texts are handed over. */
export interface WrittenLines extends PrintedLines {
  write(text: string): void;
  /** Nothing is printed any more. */
  end(): void;
}

/** Follows what a process prints. */
export function followLines(stream: Readable, log: Log): PrintedLines {
  const lines = createLines(log);
  stream.setEncoding('utf8').on('data', lines.write);
  stream.on('close', lines.end);
  return lines;
}

/** Passes texts on to a log line by line, bounded. */
export function createLines(log: Log): WrittenLines {
  let source = 'python';
  let rest = '';
  let written = 0;
  let dropped = 0;
  const recent: string[] = [];
  const tell = (line: string) => {
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
  return {
    write(text) {
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(0, MAX_LINE);
      for (const line of lines) if (line.trim() !== '') tell(line.trimEnd());
    },
    end() {
      if (rest.trim() !== '') tell(rest.trimEnd());
      close();
    },
    begin(file) {
      close();
      source = file;
    },
    last: () => recent.join('\n'),
  };
}

/** A log for what Python prints: the values of secrets that were given to it are in no line. */
export function printedLog(log: Log, settings: PythonSettings): Log {
  return (line) => log({ ...line, message: settings.conceal?.(line.message) ?? line.message });
}
