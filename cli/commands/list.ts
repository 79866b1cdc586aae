import type { Endpoint, EndpointFile } from '../../src/project/model.ts';
import type { Run } from '../command.ts';
import { count, styled, toColumns } from '../io/output.ts';
import { type CheckedProject, checkProject, siteOf } from '../project/project.ts';

interface Row {
  readonly kind: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly file: string;
  readonly status: 'ok' | 'disabled' | 'error';
  readonly error: string | null;
}

/** `svc list`: lists every endpoint file, including broken ones. */
export const run: Run = async (input, output) => {
  const checked = await checkProject(input);
  siteOf(checked);
  const rows = checked.project.endpoints.map((file) => toRow(file, checked));
  output.data({ endpoints: rows.map((row) => ({ ...row })) }, () => toText(rows));
  return 0;
};

function toRow({ file, kind, endpoint }: EndpointFile, { findings }: CheckedProject): Row {
  const error = findings.find((finding) => finding.file === file && finding.severity === 'error');
  return {
    kind: endpoint?.kind === 'resource' && endpoint.skill !== undefined ? 'skill' : kind,
    name: endpoint?.name ?? null,
    description: endpoint?.description ?? null,
    file,
    status: error || !endpoint ? 'error' : statusOf(endpoint),
    error: error?.message ?? null,
  };
}

function statusOf({ enabled }: Endpoint): 'ok' | 'disabled' {
  return enabled ? 'ok' : 'disabled';
}

function toText(rows: readonly Row[]): string {
  if (rows.length === 0)
    return 'no endpoints: add one to tools/. For an example, run `svc init --bootstrap demo` outside of this project.';
  const table = rows.map((row) => [
    row.kind,
    styled('strong', row.name ?? '?'),
    statusText(row.status),
    row.file,
    (row.error ?? row.description ?? '').trimStart().split('\n')[0] ?? '',
  ]);
  return `${toColumns(table)}\n${count(rows.length, 'endpoint')}`;
}

function statusText(status: Row['status']): string {
  return styled(status === 'ok' ? 'ok' : status === 'error' ? 'error' : 'dim', status);
}
