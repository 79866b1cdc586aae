import { policyScopeOf } from '../policy/scope.ts';
import { byPlace, type Finding } from '../project/finding.ts';
import type { EndpointFile } from '../project/model.ts';
import { positionAt } from '../project/yaml/position.ts';

/** Warns about rules that no call reaches and rules that deny every call. The CEL engine loads only for endpoints with rules. */
export async function checkPolicyReach(files: readonly EndpointFile[]): Promise<readonly Finding[]> {
  const ruled = files.flatMap(({ endpoint, ...file }) =>
    endpoint?.enabled && endpoint.policies.input.length + endpoint.policies.output.length > 0
      ? [{ ...file, endpoint }]
      : [],
  );
  if (ruled.length === 0) return [];
  const { checkReach } = await import('./reachability/unreachable-rules.ts');
  return ruled
    .flatMap(({ file, endpoint, positions }) =>
      checkReach(endpoint.policies, policyScopeOf(endpoint)).map(({ code, path, message, fix }) => ({
        severity: 'warning' as const,
        code,
        file,
        ...positionAt(positions, [endpoint.kind, ...path]),
        message,
        fix,
      })),
    )
    .toSorted(byPlace);
}
