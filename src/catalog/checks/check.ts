import type { CheckPolicies } from '../../policy/checks/check.ts';
import { policyScopeOf } from '../../policy/scope.ts';
import { answerParameters } from '../../project/elicitation-model.ts';
import { byPlace, type Finding } from '../../project/finding.ts';
import type { Endpoint, EndpointFile, Project } from '../../project/model.ts';
import { nearestAt, positionAt, positionInText } from '../../project/yaml/position.ts';
import { checkTemplate } from '../../template/check.ts';
import { builtinTools } from '../builtin.ts';
import { type BuiltinChecks, checkBuiltins } from './builtin.ts';
import { checkCache } from './cache.ts';
import { checkCompletion } from './completion.ts';
import { checkAsk } from './elicitation.ts';
import type { CatalogIssue } from './issue.ts';
import { checkLargeResult, checkView } from './result-form.ts';
import { checkSql } from './sql.ts';
import { checkTests } from './tests.ts';

/** Checks whether the parts of each endpoint agree, without a database. Never throws. */
export async function checkCatalog(
  project: Pick<Project, 'site' | 'sitePositions' | 'endpoints'>,
): Promise<readonly Finding[]> {
  const tools = builtinTools(project.site);
  const endpoints = project.endpoints.flatMap(({ endpoint }) => endpoint ?? []);
  const ruled = (project.site?.sqlTools.tables ?? null) !== null;
  const rules = ruled || [...tools, ...endpoints].some(hasConditions) ? await loadChecks() : NO_RULES;
  const parts = project.endpoints.flatMap((file) => {
    const known = checked.get(file);
    if (known) return known;
    const findings = file.endpoint === null ? [] : checkEndpoint(file, file.endpoint, rules.checkPolicies);
    checked.set(file, findings);
    return findings;
  });
  return [...parts, ...checkBuiltins(project, tools, rules)].toSorted(byPlace);
}

/** Findings of each file, because commands check a project and compilation checks it again. */
const checked = new WeakMap<EndpointFile, readonly Finding[]>();

/** Whether an endpoint has conditions. The CEL engine takes a third of the start, so it loads only for these. */
function hasConditions({ policies: { input, output }, ask }: Endpoint): boolean {
  return input.length + output.length > 0 || ask.flat().some(({ when }) => when !== undefined);
}

const NO_RULES: BuiltinChecks = {
  checkPolicies: () => [],
  checkCallerColumns: () => [],
  checkTableRules: () => [],
};

async function loadChecks(): Promise<BuiltinChecks> {
  const [policies, tables] = await Promise.all([
    import('../../policy/checks/check.ts'),
    import('../../policy/checks/tables.ts'),
  ]);
  return { ...policies, ...tables };
}

function checkEndpoint(
  file: EndpointFile,
  endpoint: Endpoint,
  checkPolicies: CheckPolicies,
): readonly Finding[] {
  const problems: readonly CatalogIssue[] = [
    ...(endpoint.kind === 'prompt'
      ? templates(file, endpoint)
      : [...checkSql(endpoint), ...checkCache(endpoint)]),
    ...checkLargeResult(endpoint),
    ...checkView(endpoint),
    ...policies(endpoint, checkPolicies),
    ...checkAsk(endpoint, checkPolicies),
    ...(endpoint.kind === 'tool' ? [] : checkCompletion(endpoint)),
    ...checkTests(endpoint).map((issue) => ({ ...issue, served: true as const })),
  ];
  return problems.map(({ code, message, fix, path, place, served }) => ({
    severity: endpoint.enabled ? 'error' : 'warning',
    code,
    file: file.file,
    ...positionAt(file.positions, [endpoint.kind, ...path]),
    ...place,
    message,
    fix,
    ...(served ? { served } : {}),
  }));
}

function policies(endpoint: Endpoint, checkPolicies: CheckPolicies): readonly CatalogIssue[] {
  return checkPolicies(endpoint.policies, policyScopeOf(endpoint)).map((problem) => ({
    code: 'policy',
    ...problem,
  }));
}

function templates(file: EndpointFile, endpoint: Endpoint & { kind: 'prompt' }): readonly CatalogIssue[] {
  const declared = [...endpoint.parameters, ...answerParameters(endpoint.ask)].map(({ name }) => name);
  return endpoint.messages.flatMap(({ prompt }, index) => {
    const path = ['messages', index, 'prompt'];
    const start = nearestAt(file.positions, ['prompt', ...path]);
    return checkTemplate(prompt, declared).map(({ message, fix, offset = 0 }) => ({
      code: 'template',
      message,
      fix,
      path,
      place: { file: file.file, ...positionInText(start, prompt, offset) },
    }));
  });
}
