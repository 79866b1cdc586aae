import type { Readable } from 'node:stream';
import type { Log, PrintedOptions, PythonSettings } from '../../src/ports.ts';
import { createHiddenTexts, type HiddenTexts } from '../../src/redaction/hidden-texts.ts';
import type { Conceal } from '../../src/redaction/redact.ts';

/** The characters of a line that are shown. */
const MAX_LINE = 2_000;
/** The characters of an unfinished line that are kept: more, because a secret is recognised only as a whole. */
const MAX_UNFINISHED = 65_536;
/** The longest form of a hidden text, in characters for each of its own. */
const LONGEST_FORM = 6;
/** The lines that one call may print. Further ones are only counted. */
const MAX_LINES = 200;
/** The most calls that may add to one unfinished line. Their hidden texts are removed when the line ends. */
const MAX_CALLS = 16;

/** Copies the output of an interpreter to the log. */
export interface PrintedLines {
  /** Attributes the following lines to this file and this call. */
  begin(file: string, printed?: PrintedOptions): void;
  /** Returns the last lines, to explain why an interpreter did not start. */
  last(): string;
}

/** The copy of output that arrives as texts. */
export interface WrittenLines extends PrintedLines {
  write(text: string): void;
  /** Flushes the last line: there is no more output. */
  end(): void;
}

/** Copies the output of a stream to the log. `conceal` removes secrets. */
export function followLines(stream: Readable, log: Log, conceal: Conceal): PrintedLines {
  const lines = createLines(log, conceal);
  stream.setEncoding('utf8').on('data', lines.write);
  stream.on('close', lines.end);
  return lines;
}

/** Creates a copy that writes texts to the log line by line, within the limits above. `conceal` removes secrets. */
export function createLines(log: Log, conceal: Conceal): WrittenLines {
  let source = 'python';
  let current: PrintedOptions | undefined;
  // The last lines of a call may arrive after the next call has begun, and any later call may finish a line.
  let calls: readonly HiddenTexts[] = [];
  let rest = '';
  let written = 0;
  let dropped = 0;
  const recent: string[] = [];
  const remove = (text: string) => calls.reduce((bare, hidden) => hidden.remove(bare), text);
  const tell = (line: string) => {
    if (recent.push(line.slice(0, MAX_LINE)) > 20) recent.shift();
    written += 1;
    if (written > MAX_LINES) {
      dropped += 1;
      return;
    }
    // The line is cut last: a part of a secret would not be recognised.
    const shown = conceal(remove(line)).slice(0, MAX_LINE).toWellFormed();
    const fields = current === undefined ? {} : { fields: current.fields };
    log({ level: 'info', message: `${source}: ${shown}`, ...fields });
  };
  const close = () => {
    if (dropped > 0) log({ level: 'warn', message: `${source}: ${dropped} more lines were printed` });
    written = 0;
    dropped = 0;
  };
  const mostUnfinished = () =>
    MAX_UNFINISHED + LONGEST_FORM * Math.max(0, ...calls.map((hidden) => hidden.longest));
  return {
    write(text) {
      // Only the new text is searched: an unfinished line may come in many pieces.
      if (!text.includes('\n')) {
        if (rest.length < mostUnfinished()) rest += text;
        return;
      }
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') tell(line.trimEnd());
    },
    end() {
      if (rest.trim() !== '') tell(rest.trimEnd());
      close();
    },
    begin(file, printed) {
      close();
      source = file;
      current = printed;
      rest = remove(rest);
      const kept = rest === '' ? calls.slice(0, 1) : calls.slice(0, MAX_CALLS - 1);
      calls = [createHiddenTexts(printed?.hidden), ...kept];
    },
    last: () => recent.join('\n'),
  };
}

/** Returns the function that removes the secrets which Python has received. */
export function concealFor(settings: PythonSettings): Conceal {
  return (text) => settings.conceal?.(text) ?? text;
}
