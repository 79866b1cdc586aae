import { compileCatalog } from '../../src/catalog/compile.ts';
import { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { Project } from '../../src/project/model.ts';
import { SITE_NAME } from '../../src/project/site-model.ts';
import { isAtLeast, lintProject, SEVERITIES } from '../../src/quality/lint/lint.ts';
import { type TokenBill, toTokenBill } from '../../src/quality/lint/token-bill.ts';
import type { CommandInput, Run } from '../command.ts';
import { toFindingLines } from '../io/findings.ts';
import { count, styled, toColumns } from '../io/output.ts';
import { type CheckedProject, checkProject, soundPart } from '../project/project.ts';

/** `svc lint`: reports missing metadata, and files with errors. */
export const run: Run = async (input, output) => {
  const least = severityOf(input, 'severity') ?? 'info';
  const failOn = severityOf(input, 'failOn') ?? 'error';
  const { project, findings } = await checkProject(input);
  const broken = findings.filter(({ severity }) => severity === 'error');
  const files = new Set(broken.map(({ file }) => file));
  const sound = project.endpoints.filter(({ file }) => !files.has(file));
  const all = [...broken, ...lintProject(sound)].toSorted((one, other) => order(one.file, other.file));
  const isFailing = (finding: Finding) => isAtLeast(finding, failOn);
  const shown = all.filter((finding) => isAtLeast(finding, least) || isFailing(finding));
  const failed = all.some(isFailing);
  // A project whose svc-site.yml has an error offers no tools.
  const bill = input.flag('tokens') && !files.has(SITE_NAME) ? await billOf({ project, findings }) : null;
  const document = {
    status: failed ? 'error' : 'ok',
    findings: shown.map((finding) => ({ ...finding })),
    ...(bill === null ? {} : { tokens: toDocument(bill) }),
  };
  const text = () => toText(shown, project);
  output.data(document, () => (bill === null ? text() : `${text()}\n\n${toBillText(bill)}`));
  return failed ? 1 : 0;
};

async function billOf(checked: CheckedProject): Promise<TokenBill> {
  return toTokenBill(await compileCatalog(soundPart(checked)));
}

function toDocument({ toolsets, largest, ...sums }: TokenBill): JsonObject {
  return {
    ...sums,
    toolsets: toolsets.map((one) => ({ ...one })),
    largest: largest.map((one) => ({ ...one })),
  };
}

function toBillText({ tools, listed, searched, toolsets, largest }: TokenBill): string {
  const row = (name: string, tokens: number, how: string) => [name, tokens.toLocaleString('en-US'), how];
  const rows = [
    row('all tools', listed, count(tools, 'tool')),
    row('tool_search: true', searched, 'the tools search and call in their place'),
    ...toolsets.map(({ tag, tools: some, tokens }) => row(`/mcp?tags=${tag}`, tokens, count(some, 'tool'))),
    ...largest.map(({ tool, tokens }) => row(tool, tokens, 'one of the largest')),
  ];
  const title = 'Tokens in the context of a model before any call (estimate: 4 characters a token)';
  return `${title}\n${toColumns(rows, '  ')}`;
}

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

function toText(findings: readonly Finding[], { root, endpoints: files }: Project): string {
  const endpoints = files.length;
  if (findings.length === 0) return `${styled('ok', 'ok')}: ${count(endpoints, 'endpoint')}`;
  const sums = SEVERITIES.map((severity) => ({
    severity,
    many: findings.filter((finding) => finding.severity === severity).length,
  })).filter(({ many }) => many > 0);
  const parts = sums.map(({ severity, many }) =>
    severity === 'info' ? `${many} info` : count(many, severity),
  );
  return `${toFindingLines(findings, { root })}\n${parts.join(', ')} in ${count(endpoints, 'endpoint')}`;
}
