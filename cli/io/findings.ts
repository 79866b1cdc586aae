import { SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { type ColumnRow, toColumns, widthOfTerminal } from './columns.ts';
import { styled } from './output.ts';
import { createFrames, type SourceLine } from './source-frame.ts';

/** The choices for printing findings. */
export interface FindingsFormat {
  /** Default: stdout. */
  readonly stream?: NodeJS.WriteStream;
  /** Whether the code of each finding is shown. */
  readonly detail?: boolean;
  /** The project's folder, whose lines are shown below findings; absent for no lines. */
  readonly root?: string;
}

/** Formats findings for people: place, severity and message, with the fix and the lines of the file below. */
export function toFindingLines(findings: readonly Finding[], format: FindingsFormat = {}): string {
  const { stream = process.stdout, detail = false, root } = format;
  const width = widthOfTerminal(stream);
  const frameOf = root === undefined ? () => [] : createFrames(root, findings);
  const rows = findings.flatMap((finding): readonly ColumnRow[] => {
    const [first = '', ...rest] = finding.message.split('\n');
    const code = detail ? [styled('dim', `code: ${finding.code}`, stream)] : [];
    const fix = `fix: ${finding.fix}`.split('\n').map((line) => styled('dim', line, stream));
    const below = [...rest, ...fix, ...code];
    return [
      [placeOf(finding), styled(finding.severity, finding.severity, stream), first],
      ...below.map((line) => ['', '', line]),
      ...frameOf(finding).map((line) => toFrameLine(line, finding, { stream, width })),
    ];
  });
  return toColumns(rows, '', width);
}

interface FrameStyle {
  readonly stream: NodeJS.WriteStream;
  readonly width: number;
}

/** A line of a file with its number, cut to the terminal; the line of the finding is marked. */
function toFrameLine({ line, text }: SourceLine, finding: Finding, { stream, width }: FrameStyle): string {
  const isMarked = line === finding.line;
  const whole = `  ${isMarked ? '>' : ' '} ${String(line).padStart(4)} | ${text.replaceAll(/\p{Cc}/gu, ' ')}`;
  const shown = whole.length > width ? `${whole.slice(0, width - 1)}…` : whole.trimEnd();
  return styled(isMarked ? finding.severity : 'dim', shown, stream);
}

/** The error for a project with errors. */
export function toFindingsError(findings: readonly Finding[]): SvcError {
  const lines = toFindingLines(findings, { stream: process.stderr });
  return new SvcError('project_invalid', `The project has ${count(findings.length, 'error')}:\n${lines}`, {
    detail: { findings: findings.map((finding) => ({ ...finding })) },
  });
}

/** Formats a number with a noun: `1 error`, `2 errors`. */
export function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`;
}

function placeOf({ file, line, column }: Finding): string {
  return line === 0 ? file : `${file}:${line}:${column}`;
}
