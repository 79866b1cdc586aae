import type { CheckPolicies } from '../../policy/checks/check.ts';
import type { Finding } from '../../project/finding.ts';
import type { Project, ToolEndpoint } from '../../project/model.ts';
import { SITE_NAME } from '../../project/site.ts';
import { type Path, type Positions, positionAt } from '../../project/yaml/position.ts';

/** Checks the policies of the built-in SQL tools, and whether endpoints have the same names. */
export function checkBuiltins(
  { sitePositions = {}, endpoints }: Pick<Project, 'sitePositions' | 'endpoints'>,
  tools: readonly ToolEndpoint[],
  checkPolicies: CheckPolicies,
): readonly Finding[] {
  const names = new Set(tools.map(({ name }) => name));
  const taken = endpoints.flatMap(({ file, endpoint, positions }) =>
    endpoint?.enabled && endpoint.kind !== 'resource' && names.has(endpoint.name)
      ? [toCollision(endpoint.name, { file, ...positionAt(positions, [endpoint.kind, 'name']) })]
      : [],
  );
  return [...tools.flatMap((tool) => checkRules(tool, sitePositions, checkPolicies)), ...taken];
}

function checkRules(
  tool: ToolEndpoint,
  positions: Positions,
  checkPolicies: CheckPolicies,
): readonly Finding[] {
  return checkPolicies(tool.policies, tool).map(({ path, message, fix }) => {
    const full: Path = ['sql_tools', tool.name, ...path];
    const place = { file: SITE_NAME, ...positionAt(positions, full) };
    return { severity: 'error', code: 'policy', ...place, message, fix };
  });
}

function toCollision(name: string, place: Pick<Finding, 'file' | 'line' | 'column'>): Finding {
  return {
    severity: 'error',
    code: 'duplicate-name',
    ...place,
    message: `A built-in SQL tool has the name ${name} already.`,
    fix: 'Rename it, or set `sql_tools.enabled: false` in the site file.',
  };
}
