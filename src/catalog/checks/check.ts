import type { CheckPolicies } from '../../policy/checks/check.ts';
import { policyScopeOf } from '../../policy/scope.ts';
import { answerParameters } from '../../project/elicitation-model.ts';
import { byPlace, type Finding } from '../../project/finding.ts';
import type { Endpoint, EndpointFile, Project, ResourceEndpoint, ToolEndpoint } from '../../project/model.ts';
import {
  nearestAt,
  type Path,
  type Position,
  positionAt,
  positionInText,
} from '../../project/yaml/position.ts';
import { lexSql } from '../../sql/lexer.ts';
import { classify } from '../../sql/statement.ts';
import { checkTemplate } from '../../template/check.ts';
import { builtinTools } from '../builtin.ts';
import { viewProblem } from '../view.ts';
import { type BuiltinChecks, checkBuiltins } from './builtin.ts';
import { checkCompletion } from './completion.ts';
import { checkAsk } from './elicitation.ts';
import { checkSql } from './sql.ts';
import { checkTests } from './tests.ts';

/** A contradiction between the parts of an endpoint. */
export interface CatalogIssue {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  /** Keys from the endpoint down. */
  readonly path: Path;
  /** The place of the issue if it is in another file or inside a node. */
  readonly place?: Position & { readonly file: string };
  /** The endpoint is served in spite of the issue (`Finding.served`). */
  readonly served?: true;
}

/** Functions with answers of one request: a cached result would hold a header or a token. */
const OF_ONE_REQUEST = /^"?(get_request_headers?(?:_json)?|get_user_external_token)"?$/i;

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

/** Checks whether results of an endpoint with `cache` can be kept for other calls of the same caller. */
function checkCache({ cache, source }: ToolEndpoint | ResourceEndpoint): readonly CatalogIssue[] {
  if (cache === undefined) return [];
  const reason = reasonAgainst(source);
  return reason === null ? [] : [{ code: 'cache', path: ['cache'], ...reason }];
}

function reasonAgainst({
  language,
  text,
}: ToolEndpoint['source']): Pick<CatalogIssue, 'message' | 'fix'> | null {
  if (language === 'python') {
    return { message: '`cache` keeps results of SQL, but the source is Python.', fix: 'Remove `cache`.' };
  }
  const { mode, operation } = classify(text);
  if (mode === 'write') {
    return {
      message: `\`cache\` keeps results, but the SQL writes: ${operation}.`,
      fix: 'Remove `cache`: each call must write.',
    };
  }
  const found = lexSql(text).tokens.find(
    ({ kind, start, end }) =>
      (kind === 'word' || kind === 'quoted') && OF_ONE_REQUEST.test(text.slice(start, end)),
  );
  if (found === undefined) return null;
  return {
    message: `\`cache\` keeps results, but the SQL reads ${text.slice(found.start, found.end)}, which belongs to one request.`,
    fix: 'Remove `cache`, or tell callers apart by get_username(), get_user_email() or get_user_provider().',
  };
}

/** Checks that the declared result fits the view. */
function checkView(endpoint: Endpoint): readonly CatalogIssue[] {
  if (endpoint.kind !== 'tool' || endpoint.view === null || endpoint.view === 'auto') return [];
  const problem = viewProblem(endpoint.view, endpoint.returns);
  if (problem === null) return [];
  return [
    {
      code: 'result-form',
      path: ['view'],
      message: `The view ${endpoint.view} ${problem}`,
      fix: 'Correct `return`, or choose another view, such as `table` or `auto`.',
    },
  ];
}

/** Checks that a tool with `large_result` only reads, because its link makes the call again. */
function checkLargeResult(endpoint: Endpoint): readonly CatalogIssue[] {
  if (endpoint.kind !== 'tool' || endpoint.largeResult === null) return [];
  const { source, annotations } = endpoint;
  const reads =
    source.language === 'sql' ? classify(source.text).mode === 'read' : annotations.readOnlyHint === true;
  if (reads) return [];
  const why = source.language === 'sql' ? 'the SQL writes' : 'the tool has no `readOnlyHint: true`';
  return [
    {
      code: 'result-form',
      path: ['large_result'],
      message: `\`large_result\` links to a call that is made again, but ${why}.`,
      fix:
        source.language === 'sql'
          ? 'Remove `large_result`.'
          : 'Remove `large_result`, or set `annotations.readOnlyHint: true` if the function changes nothing.',
    },
  ];
}
