import { stripVTControlCharacters, styleText } from 'node:util';
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

/** The codes that begin and end our `STYLES`, and the one that ends them all. */
const OURS = new Set([0, 1, 2, 22, 31, 32, 33, 36, 39].map((code) => `\u001b[${code}m`));
const COMMANDS = /(?![\n\t])\p{Cc}(?:\[\d+m)?|[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Shows control characters as escapes: rows, names and errors may hold any, and a terminal would obey them. Our own colours
 * stay. JSON has the same meaning afterwards.
 *
 * @example forTerminal('\u001b]0;a title\u0007') // '\\u001b]0;a title\\u0007'
 */
export function forTerminal(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(COMMANDS, (found) => {
    if (OURS.has(found)) return found;
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}${found.slice(1)}`;
  });
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
      const whole = options.json ? JSON.stringify(document) : text();
      write(process.stdout, process.stdout.isTTY ? forTerminal(whole) : whole);
    },
    note: (text) => write(process.stderr, forTerminal(text)),
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

/** The cells of a row, or a line that belongs to no column. */
export type ColumnRow = readonly string[] | string;

/** The narrowest column that is made narrower still. */
const NARROWEST = 12;
const GAP = 2;

/**
 * Aligns rows in columns. Colours have no width, and the last column is not padded. Where a table is wider than the
 * terminal, the widest columns wrap by word; without a terminal nothing wraps.
 */
export function toColumns(
  rows: readonly ColumnRow[],
  indent = '',
  width: number = widthOfTerminal(process.stdout),
): string {
  const cells = rows.filter((row) => typeof row !== 'string');
  const widths = fitted(widthsOf(cells), width - indent.length);
  return rows.map((row) => (typeof row === 'string' ? row : toLines(row, widths, indent))).join('\n');
}

/** The columns of a terminal; infinite for a pipe or a file. */
export function widthOfTerminal({ isTTY, columns }: NodeJS.WriteStream): number {
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** Goes row by row, because there may be more rows than a call takes arguments. */
function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    }
  }
  return widths;
}

/** Takes from the widest column until all fit, or none can be narrower. */
function fitted(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  for (;;) {
    const total = widths.reduce((sum, one) => sum + one + GAP, -GAP);
    const widest = Math.max(...widths);
    if (total <= width || widest <= NARROWEST) return widths;
    const next = Math.max(NARROWEST, ...widths.filter((one) => one < widest));
    const step = Math.min(total - width, Math.max(1, widest - next));
    widths[widths.indexOf(widest)] = Math.max(NARROWEST, widest - step);
  }
}

function toLines(row: readonly string[], widths: readonly number[], indent: string): string {
  const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? 0));
  const height = Math.max(1, ...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => {
    const parts = wrapped.map((lines, column) => {
      const text = lines[line] ?? '';
      return column === row.length - 1 ? text : text + ' '.repeat((widths[column] ?? 0) - widthOf(text));
    });
    return indent + parts.join(' '.repeat(GAP)).trimEnd();
  }).join('\n');
}

const RESET = '\u001b[0m';

/** Breaks a cell at spaces, and a word that is too long after a mark. Colour and indent continue on the next line. */
function wrap(cell: string, width: number): readonly string[] {
  if (widthOf(cell) <= width) return [cell];
  const lines: string[] = [];
  const indent = /^ */.exec(cell)?.[0] ?? '';
  let [line, used, colour] = ['', 0, ''];
  const end = () => {
    lines.push(line.trimEnd() + (colour === '' ? '' : RESET));
    [line, used] = [indent + colour, indent.length];
  };
  for (const [token] of cell.matchAll(TOKENS)) {
    if (token.startsWith('\u001b')) {
      colour += token;
      line += token;
      continue;
    }
    let rest = token;
    const isSpace = rest.trim() === '';
    if (used > indent.length && used + rest.length > width) {
      end();
      if (isSpace) continue;
    }
    while (used + rest.length > width) {
      const size = breakOf(rest, Math.max(1, width - used));
      line += rest.slice(0, size);
      rest = rest.slice(size);
      end();
    }
    line += rest;
    used += rest.length;
  }
  return [...lines, line];
}

/** The place to break a word: behind the last mark of its first part. */
function breakOf(word: string, width: number): number {
  const mark = /^.*[/_.,:-]/.exec(word.slice(0, width))?.[0].length ?? 0;
  return mark > width / 3 ? mark : width;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with the escape character
const TOKENS = /\u001b\[[\d;]*m|\s+|[^\s\u001b]+/g;

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
