import { styleText } from 'node:util';
import type { JsonValue } from '../../src/json.ts';

/** Where a command's words go: data on stdout, everything else on stderr. */
export interface Output {
  readonly json: boolean;
  readonly debug: boolean;
  /** The command's answer: one JSON document with --json, otherwise text for people. */
  data(document: JsonValue, text: () => string): void;
  /** A remark for people. */
  note(text: string): void;
}

/** Styles by meaning, so that every command speaks in the same colours. */
const STYLES = {
  error: ['red', 'bold'],
  warning: ['yellow', 'bold'],
  info: ['cyan'],
  ok: ['green'],
  strong: ['bold'],
  dim: ['dim'],
} as const;

/** Text in a style, where the stream is a terminal and NO_COLOR is not set. */
export function styled(
  style: keyof typeof STYLES,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText([...STYLES[style]], text, { stream });
}

/** An output that knows whether the answer is out: what fails after that, as of a server, is no second one. */
export interface ProcessOutput extends Output {
  readonly answered: boolean;
}

/** The output of this process. */
export function createOutput(options: { json: boolean; debug: boolean }): ProcessOutput {
  let answered = false;
  const write = (stream: NodeJS.WriteStream, text: string) => stream.write(`${text}\n`);
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
  };
}

/** A reader that stops early (`svc list | head`) is no fault; a full disk is. */
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
