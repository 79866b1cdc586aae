import { styleText } from 'node:util';
import type { JsonValue } from '../../src/json.ts';
import { createProgressLine, type Say } from './progress.ts';

/** The output of a command: data on stdout, everything else on stderr. */
export interface Output {
  readonly json: boolean;
  readonly debug: boolean;
  /** Prints the command's result: one JSON document with --json, else text for people. */
  data(document: JsonValue, text: () => string): void;
  /** Prints a remark for people. */
  note(text: string): void;
  /** Tells people at a terminal about work that takes longer than a second. Prints nothing with --json. */
  progress<T>(label: string, work: (say: Say) => Promise<T>): Promise<T>;
}

/** Styles by meaning, so that all commands use the same colours. */
const STYLES = {
  error: ['red', 'bold'],
  warning: ['yellow', 'bold'],
  info: ['cyan'],
  ok: ['green'],
  strong: ['bold'],
  dim: ['dim'],
} as const;

/** Styles a text if the stream is a terminal and NO_COLOR is not set. */
export function styled(
  style: keyof typeof STYLES,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText([...STYLES[style]], text, { stream });
}

/** An output that knows whether the result is printed; a later error must not print a second document. */
export interface ProcessOutput extends Output {
  readonly answered: boolean;
}

/** The output of this process. */
export function createOutput(options: { json: boolean; debug: boolean }): ProcessOutput {
  let answered = false;
  const line = options.json ? null : createProgressLine(process.stderr);
  const write = (stream: NodeJS.WriteStream, text: string) => {
    line?.clear();
    stream.write(`${text}\n`);
  };
  return {
    ...options,
    get answered() {
      return answered;
    },
    data: (document, text) => {
      answered = true;
      write(process.stdout, options.json ? JSON.stringify(document) : text());
    },
    note: (text) => write(process.stderr, text),
    progress: (label, work) => (line === null ? work(() => {}) : line.during(label, work)),
  };
}

/**
 * Ignores a reader that stops early (`svc list | head`). Any other failure to write, such as a full disk, ends the
 * process with 1.
 */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      if (stream === process.stdout) {
        process.stderr.write(`error: standard output cannot be written: ${error.message}\n`);
      }
      process.exit(1);
    });
  }
}

/** Formats a number with a noun: `1 error`, `2 errors`. */
export function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`;
}
