import type { TargetName } from '../../deploy/targets/targets.ts';
import { SvcError } from '../../src/errors.ts';
import type { JsonValue } from '../../src/json.ts';
import type { CheckReport, GateIssue } from '../../src/quality/gate/report.ts';
import { toValueText } from '../drift/change-text.ts';
import { count, styled } from '../io/output.ts';

const MARKS = {
  passed: ['ok', '✓'],
  failed: ['error', '✗'],
  allowed: ['warning', '!'],
  skipped: ['dim', '-'],
} as const;
const MOST = 20;

/**
 * The error that refuses a build: all checks in one report, with their fixes, and the options that allow the failed ones
 * if they can be allowed.
 */
export function toGateError(
  target: TargetName,
  reports: readonly CheckReport[],
  { allowable }: { readonly allowable: boolean },
): SvcError {
  const failed = reports.filter(({ status }) => status === 'failed').map(({ check }) => check);
  const options = failed.map((check) => `--allow ${check}`).join(' ');
  const message = [
    `The build for ${target} is refused by ${count(failed.length, 'check')}: ${failed.join(', ')}.`,
    ...toReportLines(reports, process.stderr),
    ...(allowable ? [`To build anyway, and record that in the manifest: ${options}`] : []),
  ].join('\n');
  return new SvcError('project_invalid', message, { detail: { target, checks: toReportDocument(reports) } });
}

/** The checks in the form of `--json`. */
export function toReportDocument(
  reports: readonly CheckReport[],
): readonly { readonly [key: string]: JsonValue }[] {
  return reports.map(({ problems, ...report }) => ({
    ...report,
    problems: problems.map((problem) => ({ ...problem })),
  }));
}

/** Formats checks for people: each with its problems below, then the fix. */
export function toReportLines(
  reports: readonly CheckReport[],
  stream: NodeJS.WriteStream = process.stdout,
): readonly string[] {
  return reports.flatMap(({ check, status, problems, fix, note }) => {
    const [style, mark] = MARKS[status];
    const size =
      problems.length === 0
        ? ''
        : `: ${count(problems.length, 'problem')}${status === 'allowed' ? ', allowed' : ''}`;
    const said = note === undefined ? '' : styled('dim', ` (${note})`, stream);
    const more = problems.length - MOST;
    return [
      `${styled(style, mark, stream)} ${check}${size}${said}`,
      ...problems.slice(0, MOST).flatMap(toProblemLines),
      ...(more > 0 ? [`    and ${more} more`] : []),
      ...(fix === undefined ? [] : [styled('dim', `    fix: ${fix}`, stream)]),
    ];
  });
}

function toProblemLines({ message, file, line, column, change }: GateIssue): readonly string[] {
  const place =
    file === undefined ? '' : line === undefined ? `${file}: ` : `${file}:${line}:${column ?? 1}: `;
  const [first = '', ...rest] = `${place}${message}`.split('\n');
  const lines = [first, ...rest.map((text) => `  ${text}`), ...(change ? [`  ${toValueText(change)}`] : [])];
  return lines.map((text) => `    ${text}`);
}
