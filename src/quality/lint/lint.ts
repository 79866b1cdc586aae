import type { Finding } from '../../project/finding.ts';
import type { EndpointFile } from '../../project/model.ts';
import { positionAt } from '../../project/yaml/position.ts';
import { lintEndpoint } from './endpoint.ts';

export const SEVERITIES = ['error', 'warning', 'info'] as const satisfies readonly Finding['severity'][];

/** Lints the valid endpoint files. Disabled endpoints are skipped. */
export function lintProject(files: readonly EndpointFile[]): readonly Finding[] {
  return files.flatMap(({ file, endpoint, positions }) => {
    if (endpoint === null || !endpoint.enabled) return [];
    const found = lintEndpoint(endpoint).map(({ severity, code, path, message, fix }): Finding => {
      const place = positionAt(positions, [endpoint.kind, ...path]);
      return { severity, code, file, ...place, message, fix };
    });
    return found.toSorted((one, other) => one.line - other.line || one.column - other.column);
  });
}

/** Whether a finding is at least as grave as a severity. */
export function isAtLeast({ severity }: Finding, least: Finding['severity']): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);
}
