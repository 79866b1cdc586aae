import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Project, ToolEndpoint } from '../project/model.ts';
import { scanParameters } from '../sql/parameters.ts';
import { classify } from '../sql/statement.ts';
import { toCanonicalText } from '../types/canonical.ts';
import { toInputSchema, toOutputSchema } from '../types/schema.ts';
import { checkCatalog } from './check.ts';
import type { Catalog, CompiledSql, Limits, ToolEntry } from './model.ts';

const DEFAULT_LIMITS: Limits = { rows: 10_000, bytes: 4 * 1024 * 1024, timeoutMs: 30_000 };

/** Compiles a project without errors to what a server needs; the same project gives the same bytes. */
export async function compileCatalog(project: Project): Promise<Catalog> {
  const errors = [...project.findings, ...checkCatalog(project)].filter(
    ({ severity }) => severity === 'error',
  );
  if (errors.length > 0 || project.site === null) {
    throw new SvcError(
      'project_invalid',
      `The project has ${errors.length} errors; \`svc validate\` shows them.`,
    );
  }
  const endpoints = project.endpoints.flatMap(({ endpoint }) => (endpoint?.enabled ? [endpoint] : []));
  const tools = endpoints.filter((endpoint) => endpoint.kind === 'tool').sort(byName);
  const entries = await Promise.all(tools.map(async (tool) => [tool.name, await toEntry(tool)] as const));
  const content = { project: project.site.project, tools: Object.fromEntries(entries) };
  return { ...content, hash: await sha256(toCanonicalText(JSON.parse(JSON.stringify(content)))) };
}

async function toEntry(tool: ToolEndpoint): Promise<ToolEntry> {
  const source = await compileSql(tool);
  return {
    kind: 'tool',
    name: tool.name,
    parameters: tool.parameters,
    returns: tool.returns,
    source,
    policies: tool.policies,
    limits: toLimits(tool),
    wire: toWire(tool, source),
  };
}

async function compileSql({ source }: ToolEndpoint): Promise<CompiledSql> {
  const { sql, order } = scanParameters(source.text).rewrite();
  const { mode, operation } = classify(source.text);
  return { language: 'sql', sql, order, mode, operation, hash: await sha256(source.text) };
}

function toLimits({ limits }: ToolEndpoint): Limits {
  return {
    rows: limits.rows ?? DEFAULT_LIMITS.rows,
    bytes: limits.bytes ?? DEFAULT_LIMITS.bytes,
    timeoutMs: limits.timeout === undefined ? DEFAULT_LIMITS.timeoutMs : limits.timeout * 1000,
  };
}

function toWire(tool: ToolEndpoint, { mode }: CompiledSql): JsonObject {
  const { name, title, description, icons } = tool;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: toInputSchema(tool.parameters),
    ...(tool.returns === null ? {} : { outputSchema: toOutputSchema(tool.returns) }),
    annotations: { readOnlyHint: mode === 'read', ...tool.annotations },
    ...(icons.length === 0 ? {} : { icons: icons.map((icon) => ({ ...icon })) }),
  };
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function byName(left: ToolEndpoint, right: ToolEndpoint): number {
  return left.name < right.name ? -1 : 1;
}
