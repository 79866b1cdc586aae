import { SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { toColumns } from './columns.ts';
import { styled } from './output.ts';

/** Formats findings for people: place, severity and message, with the fix below; with `detail` also the code. */
export function toFindingLines(
  findings: readonly Finding[],
  stream: NodeJS.WriteStream = process.stdout,
  detail = false,
): string {
  return toColumns(
    findings.flatMap((finding) => {
      const [first = '', ...rest] = finding.message.split('\n');
      const code = detail ? [styled('dim', `code: ${finding.code}`, stream)] : [];
      const below = [...rest, styled('dim', `fix: ${finding.fix}`, stream), ...code];
      return [
        [placeOf(finding), styled(finding.severity, finding.severity, stream), first],
        ...below.map((line) => ['', '', line]),
      ];
    }),
  );
}

/** The error for a project with errors. */
export function toFindingsError(findings: readonly Finding[]): SvcError {
  const lines = toFindingLines(findings, process.stderr);
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
