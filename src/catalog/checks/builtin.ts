import type { checkCallerColumns, checkPolicies, PolicyIssue } from '../../policy/checks/check.ts';
import type { checkTableRules } from '../../policy/checks/tables.ts';
import type { Finding } from '../../project/finding.ts';
import type { Project, ToolEndpoint } from '../../project/model.ts';
import { SITE_NAME } from '../../project/site-model.ts';
import { type Path, type Positions, positionAt } from '../../project/yaml/position.ts';
import { CALL_NAME, SEARCH_NAME } from '../tool-search.ts';

/** The checks of conditions. They load CEL, so a project without conditions does not load them. */
export interface BuiltinChecks {
  readonly checkPolicies: typeof checkPolicies;
  readonly checkCallerColumns: typeof checkCallerColumns;
  readonly checkTableRules: typeof checkTableRules;
}

/** Checks the policies and the tables of the built-in SQL tools, and whether endpoints have the same names. */
export function checkBuiltins(
  { site, sitePositions = {}, endpoints }: Pick<Project, 'site' | 'sitePositions' | 'endpoints'>,
  tools: readonly ToolEndpoint[],
  checks: BuiltinChecks,
): readonly Finding[] {
  const search = site?.toolSearch ? [SEARCH_NAME, CALL_NAME] : [];
  const names = new Set([...tools.map(({ name }) => name), ...search]);
  const taken = endpoints.flatMap(({ file, endpoint, positions }) =>
    endpoint?.enabled && endpoint.kind !== 'resource' && names.has(endpoint.name)
      ? [toCollision(endpoint.name, { file, ...positionAt(positions, [endpoint.kind, 'name']) })]
      : [],
  );
  const issues = [...tools.flatMap((tool) => checkRules(tool, checks)), ...checkTables(site, checks)];
  return [...issues.map((issue) => toFinding(issue, sitePositions)), ...taken];
}

function checkRules(
  tool: ToolEndpoint,
  { checkPolicies, checkCallerColumns }: BuiltinChecks,
): readonly PolicyIssue[] {
  const issues = [
    ...checkPolicies(tool.policies, tool),
    ...(tool.name === 'execute_sql_query' ? checkCallerColumns(tool.policies) : []),
  ];
  return issues.map((issue) => ({ ...issue, path: [tool.name, ...issue.path] }));
}

function checkTables(site: Project['site'], { checkTableRules }: BuiltinChecks): readonly PolicyIssue[] {
  const { tables = null, attached = false } = site?.sqlTools ?? {};
  if (tables === null) return [];
  const issues = checkTableRules(tables).map((issue) => ({ ...issue, path: ['tables', ...issue.path] }));
  return attached ? [...issues, ATTACHED] : issues;
}

const ATTACHED: PolicyIssue = {
  path: ['attached'],
  message: '`attached` is true, but with `tables` the SQL tools see no attached database.',
  fix: 'Remove `attached`. To show a table of an attached database, make a view of it and list the view.',
};

function toFinding({ path, message, fix }: PolicyIssue, positions: Positions): Finding {
  const full: Path = ['sql_tools', ...path];
  const place = { file: SITE_NAME, ...positionAt(positions, full) };
  return { severity: 'error', code: 'policy', ...place, message, fix };
}

function toCollision(name: string, place: Pick<Finding, 'file' | 'line' | 'column'>): Finding {
  return {
    severity: 'error',
    code: 'duplicate-name',
    ...place,
    message: `A built-in tool has the name ${name} already.`,
    fix: 'Rename it, or set `sql_tools.enabled: false` or `tool_search: false` in the site file.',
  };
}
