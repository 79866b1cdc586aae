import { sha256Hex } from '../crypto/digest.ts';
import { SvcError } from '../errors.ts';
import { type Finding, preventsServing } from '../project/finding.ts';
import type {
  Endpoint,
  Project,
  PromptEndpoint,
  ResourceEndpoint,
  Source,
  ToolEndpoint,
} from '../project/model.ts';
import { parseUriTemplate } from '../project/uri.ts';
import { scanParameters } from '../sql/parameters.ts';
import { classify } from '../sql/statement.ts';
import { builtinTools, withStatement } from './builtin.ts';
import { checkCatalog } from './checks/check.ts';
import { functionNameOf } from './function-name.ts';
import { freeze, hashCatalog } from './hash.ts';
import type {
  CallLimits,
  Catalog,
  CompiledPython,
  CompiledSource,
  CompiledSql,
  CompiledText,
  PromptEntry,
  ResourceEntry,
  ToolEntry,
} from './model.ts';
import { withSchemaProfile } from './schema-profile.ts';
import { toSkillFiles, toWireSkill } from './skill.ts';
import { chooseView } from './view.ts';
import { toWirePrompt, toWireResource, toWireTool } from './wire.ts';

const DEFAULT_LIMITS: CallLimits = { rows: 10_000, bytes: 4 * 1024 * 1024, timeoutMs: 30_000 };

/** Compiles a project to its catalog. Equal projects have equal bytes. Throws project_invalid for a project with errors, except in tests. */
export async function compileCatalog(project: Project): Promise<Catalog> {
  const name = await refuseErrors(project);
  const endpoints = project.endpoints.flatMap(({ endpoint }) =>
    endpoint?.enabled ? [withLimits(endpoint, project.site)] : [],
  );
  const builtins = builtinTools(project.site).map((tool) => withLimits(tool, project.site));
  const [tools, resources, prompts] = [
    [...endpoints.filter((endpoint) => endpoint.kind === 'tool'), ...builtins],
    endpoints
      .filter((endpoint) => endpoint.kind === 'resource')
      .flatMap((resource) => [resource, ...toSkillFiles(resource)]),
    endpoints.filter((endpoint) => endpoint.kind === 'prompt'),
  ];
  const content = {
    project: name,
    tools: await compileAll(
      tools,
      (tool) => tool.name,
      async (tool) =>
        builtins.includes(tool) ? withStatement(await toToolEntry(tool), project.site) : toToolEntry(tool),
    ),
    resources: await compileAll(resources, ({ uri }) => uri, toResourceEntry),
    prompts: await compileAll(prompts, (prompt) => prompt.name, toPromptEntry),
    ...(project.site?.toolSearch ? { search: true as const } : {}),
  };
  const profiled = withSchemaProfile(content, project.site?.schemaProfile ?? null);
  return freeze({ ...profiled, hash: await hashCatalog(profiled) });
}

/** Adds the limits of the site, where an endpoint has no own. */
function withLimits<One extends Endpoint>(endpoint: One, site: Project['site']): One {
  return { ...endpoint, limits: { ...site?.limits, ...endpoint.limits } };
}

async function refuseErrors(project: Project): Promise<string> {
  const errors = [...project.findings, ...(await checkCatalog(project))].filter(preventsServing);
  if (errors.length === 0 && project.site !== null) return project.site.project;
  throw new SvcError('project_invalid', toText(errors), {
    detail: { findings: errors.map((finding) => ({ ...finding })) },
  });
}

function toText(errors: readonly Finding[]): string {
  const lines = errors.map(
    ({ file, line, column, message, fix }) => `${file}:${line}:${column}: ${message} ${fix}`,
  );
  return `The project has errors:\n${lines.join('\n')}`;
}

/** Ordered by name, or by URI. */
async function compileAll<One extends Endpoint, Entry>(
  endpoints: readonly One[],
  keyOf: (endpoint: One) => string,
  compile: (endpoint: One) => Promise<Entry> | Entry,
): Promise<{ readonly [key: string]: Entry }> {
  const ordered = endpoints.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const entries = ordered.map(async (endpoint) => [keyOf(endpoint), await compile(endpoint)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function toToolEntry(tool: ToolEndpoint): Promise<ToolEntry> {
  const source = await compileSource(tool);
  const { returns, mimeType, content, format, largeResult, view } = tool;
  return {
    kind: 'tool',
    ...shared(tool),
    returns,
    ...cached(tool),
    source,
    ...(mimeType === null ? {} : { mimeType }),
    ...(content === 'rows' ? { content } : {}),
    ...(format === null ? {} : { format }),
    ...(largeResult === null ? {} : { largeResult }),
    ...(view === null ? {} : { view: view === 'auto' ? chooseView(returns) : view }),
    wire: toWireTool(tool, source),
  };
}

async function toResourceEntry(resource: ResourceEndpoint): Promise<ResourceEntry> {
  const { uri, returns } = resource;
  const parsed = parseUriTemplate(uri);
  if ('problem' in parsed) throw new SvcError('project_invalid', `The URI ${uri} ${parsed.problem}`);
  const mimeType = resource.mimeType ?? (returns?.type === 'string' ? 'text/plain' : 'application/json');
  return {
    kind: 'resource',
    ...shared(resource),
    uri,
    template: parsed.template,
    mimeType,
    returns,
    ...cached(resource),
    source: await compileSource(resource),
    ...completed(resource),
    ...(resource.skill === undefined ? {} : { skill: await toWireSkill(resource, resource.skill) }),
    wire: toWireResource(resource, mimeType),
  };
}

function toPromptEntry(prompt: PromptEndpoint): PromptEntry {
  const { messages } = prompt;
  return { kind: 'prompt', ...shared(prompt), messages, ...completed(prompt), wire: toWirePrompt(prompt) };
}

function shared({ name, parameters, policies, scopes, limits, confirm, ask }: Endpoint) {
  const { rows, bytes, timeoutMs } = DEFAULT_LIMITS;
  return {
    name,
    parameters,
    policies,
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(confirm === null ? {} : { confirm }),
    ...(ask.length === 0 ? {} : { ask }),
    limits: {
      rows: limits.rows ?? rows,
      bytes: limits.bytes ?? bytes,
      timeoutMs: limits.timeout === undefined ? timeoutMs : Math.round(limits.timeout * 1000),
      ...(limits.scan_rows === undefined ? {} : { scanRows: limits.scan_rows }),
      ...(limits.scan_bytes === undefined ? {} : { scanBytes: limits.scan_bytes }),
    },
  };
}

function cached({ cache }: ToolEndpoint | ResourceEndpoint): Pick<ToolEntry, 'cache'> {
  return cache === undefined ? {} : { cache };
}

function completed({ completion }: ResourceEndpoint | PromptEndpoint): Pick<PromptEntry, 'completion'> {
  const statements = Object.entries(completion);
  if (statements.length === 0) return {};
  return {
    completion: Object.fromEntries(statements.map(([name, sql]) => [name, scanParameters(sql).rewrite()])),
  };
}

async function compileSource(endpoint: ToolEndpoint | ResourceEndpoint): Promise<CompiledSource> {
  const { source } = endpoint;
  if (source.language === 'sql') return compileSql(source);
  return source.language === 'python' ? compilePython(endpoint) : compileText(source);
}

async function compileText({ text }: Source): Promise<CompiledText> {
  return { language: 'text', text, mode: 'read', hash: await sha256Hex(text) };
}

/** A tool with `readOnlyHint: true` cannot write, and neither can a resource. */
async function compilePython(endpoint: ToolEndpoint | ResourceEndpoint): Promise<CompiledPython> {
  const { file, text } = endpoint.source;
  if (file === null)
    throw new SvcError('project_invalid', `The Python code of ${endpoint.name} is not in a file.`);
  const reads = endpoint.kind === 'resource' || endpoint.annotations.readOnlyHint === true;
  const mode = reads ? 'read' : 'write';
  return { language: 'python', file, function: functionNameOf(endpoint), mode, hash: await sha256Hex(text) };
}

async function compileSql({ text }: Source): Promise<CompiledSql> {
  const { sql, order } = scanParameters(text).rewrite();
  const { mode, operation } = classify(text);
  return { language: 'sql', sql, order, mode, operation, hash: await sha256Hex(text) };
}
