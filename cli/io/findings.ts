import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { decodeLoosely } from '../../src/project/yaml/decode.ts';
import { type ColumnRow, count, styled, toColumns, widthOfTerminal } from './output.ts';

/** The choices for printing findings. */
interface FindingsFormat {
  /** Default: stdout. Null for a text that may go anywhere, without colours. */
  readonly stream?: NodeJS.WriteStream | null;
  /** Whether the code of each finding is shown. */
  readonly detail?: boolean;
  /** The project's folder, whose lines are shown below findings; absent for no lines. */
  readonly root?: string;
}

/** Formats findings for people: place, severity and message, with the fix and the lines of the file below. */
export function toFindingLines(findings: readonly Finding[], format: FindingsFormat = {}): string {
  const { stream = process.stdout, detail = false, root } = format;
  const width = stream === null ? Number.POSITIVE_INFINITY : widthOfTerminal(stream);
  const frameOf = root === undefined ? () => [] : createFrames(root, findings);
  const rows = findings.flatMap((finding): readonly ColumnRow[] => {
    const [first = '', ...rest] = finding.message.split('\n');
    const code = detail ? [styledFor(stream, 'dim', `code: ${finding.code}`)] : [];
    const fix = `fix: ${finding.fix}`.split('\n').map((line) => styledFor(stream, 'dim', line));
    const below = [...rest, ...fix, ...code];
    return [
      [placeOf(finding), styledFor(stream, finding.severity, finding.severity), first],
      ...below.map((line) => ['', '', line]),
      ...frameOf(finding).map((line) => toFrameLine(line, finding, { stream, width })),
    ];
  });
  return toColumns(rows, '', width);
}

function styledFor(stream: NodeJS.WriteStream | null, style: Parameters<typeof styled>[0], text: string) {
  return stream === null ? text : styled(style, text, stream);
}

interface FrameStyle {
  readonly stream: NodeJS.WriteStream | null;
  readonly width: number;
}

/** A line of a file with its number, cut to the terminal; the line of the finding is marked. */
function toFrameLine({ line, text }: SourceLine, finding: Finding, { stream, width }: FrameStyle): string {
  const isMarked = line === finding.line;
  const whole = `  ${isMarked ? '>' : ' '} ${String(line).padStart(4)} | ${text.replaceAll(/\p{Cc}/gu, ' ')}`;
  const shown = whole.length > width ? `${whole.slice(0, width - 1)}…` : whole.trimEnd();
  return styledFor(stream, isMarked ? finding.severity : 'dim', shown);
}

const findingsOf = new WeakMap<SvcError, readonly Finding[]>();

/** The error for a project or a configuration with errors, for example "The project has 2 errors: …". */
export function toFindingsError(
  findings: readonly Finding[],
  code: ErrorCode = 'project_invalid',
  subject = 'project',
): SvcError {
  const lines = toFindingLines(findings, { stream: null });
  const message = `The ${subject} has ${count(findings.length, 'error')}:\n${lines}`;
  const error = new SvcError(code, message, {
    detail: { findings: findings.map((finding) => ({ ...finding })) },
  });
  findingsOf.set(error, findings);
  return error;
}

/** The message of an error for a terminal: its findings have colours. */
export function toErrorText(error: SvcError, stream: NodeJS.WriteStream): string {
  const findings = findingsOf.get(error);
  if (findings === undefined) return error.message;
  const [first = ''] = error.message.split('\n', 1);
  return `${first}\n${toFindingLines(findings, { stream })}`;
}

function placeOf({ file, line, column }: Finding): string {
  return line === 0 ? file : `${file}:${line}:${column}`;
}

/** A line of a file. */
interface SourceLine {
  /** Counts from 1. */
  readonly line: number;
  readonly text: string;
}

const AROUND = 2;

/**
 * Reads the lines around findings, each file once. A file that cannot be read has no lines. A file with a
 * literal secret shows no line at all: the lines around another finding could include the secret.
 */
export function createFrames(
  root: string,
  findings: readonly Finding[],
): (finding: Finding) => readonly SourceLine[] {
  const files = new Map<string, readonly string[]>();
  for (const { code, file } of findings) if (code === 'literal-secret') files.set(file, []);
  const linesOf = (file: string) => {
    const lines = files.get(file) ?? readLines(join(root, file));
    files.set(file, lines);
    return lines;
  };
  return ({ file, line }) => {
    if (line === 0) return [];
    const first = Math.max(1, line - AROUND);
    const lines = linesOf(file).slice(first - 1, line + AROUND);
    return lines.map((text, index) => ({ line: first + index, text }));
  };
}

function readLines(path: string): readonly string[] {
  try {
    return decodeLoosely(readFileSync(path)).split(/\r?\n/);
  } catch {
    // The file may be missing, and the finding about that. The finding is shown without lines.
    return [];
  }
}
