import { SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { isAtLeast, lintProject, SEVERITIES } from '../../src/quality/lint/lint.ts';
import type { Run } from '../command.ts';
import type { CommandInput } from '../io/command-input.ts';
import { count, toFindingLines } from '../io/findings.ts';
import { styled } from '../io/output.ts';
import { checkProject } from '../project/project.ts';

/** `svc lint`: reports missing metadata, and files with errors. */
export const run: Run = async (input, output) => {
  const least = severityOf(input, 'severity') ?? 'info';
  const failOn = severityOf(input, 'failOn') ?? 'error';
  const { project, findings } = await checkProject(input);
  const broken = findings.filter(({ severity }) => severity === 'error');
  const files = new Set(broken.map(({ file }) => file));
  const sound = project.endpoints.filter(({ file }) => !files.has(file));
  const all = [...broken, ...lintProject(sound)].toSorted((one, other) => order(one.file, other.file));
  const shown = all.filter((finding) => isAtLeast(finding, least));
  const failed = all.some((finding) => isAtLeast(finding, failOn));
  const document = { status: failed ? 'error' : 'ok', findings: shown.map((finding) => ({ ...finding })) };
  output.data(document, () => toText(shown, project.endpoints.length));
  return failed ? 1 : 0;
};

function order(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function severityOf(input: CommandInput, option: string): Finding['severity'] | undefined {
  const asked = input.text(option);
  if (asked === undefined) return undefined;
  const severity = SEVERITIES.find((known) => known === asked);
  if (severity) return severity;
  const flag = option === 'failOn' ? '--fail-on' : '--severity';
  throw new SvcError('usage', `${flag} ${asked} is not known. Choose ${SEVERITIES.join(', ')}.`);
}

function toText(findings: readonly Finding[], endpoints: number): string {
  if (findings.length === 0) return `${styled('ok', 'ok')}: ${count(endpoints, 'endpoint')}`;
  const sums = SEVERITIES.map((severity) => ({
    severity,
    many: findings.filter((finding) => finding.severity === severity).length,
  })).filter(({ many }) => many > 0);
  const parts = sums.map(({ severity, many }) =>
    severity === 'info' ? `${many} info` : count(many, severity),
  );
  return `${toFindingLines(findings)}\n${parts.join(', ')} in ${count(endpoints, 'endpoint')}`;
}
