import type { JsonObject } from '../json.ts';
import { adjustSchema, policySchemaEffects } from '../policy/schema.ts';
import type { Endpoint, PromptEndpoint, ResourceEndpoint, ToolEndpoint } from '../project/model.ts';
import { hasDefault, type TypeNode } from '../types/node.ts';
import { toInputSchema, toOutputSchema } from '../types/schema.ts';
import type { CompiledSource } from './model.ts';

/** The key of the author's tags, by which clients group endpoints. */
export const TAGS_META_KEY = 'svc-kit/tags';

/** A tool as `tools/list` shows it. */
export function toWireTool(tool: ToolEndpoint, source: CompiledSource): JsonObject {
  const { parameters, returns, policies, annotations } = tool;
  return {
    ...described(tool),
    inputSchema: toInputSchema(parameters),
    ...(returns === null || !isStructured(tool)
      ? {}
      : { outputSchema: adjustSchema(toResultSchema(returns), policySchemaEffects(policies, returns)) }),
    ...hints(source, annotations),
    ...decorated(tool),
  };
}

/** A list that is cut to its limits, or is the beginning of a large result, may have fewer items than `return` asks for. */
function toResultSchema(returns: TypeNode): JsonObject {
  const { minItems: _, ...schema } = toOutputSchema(returns);
  return schema;
}

/** Whether results have `structuredContent`. Otherwise they are blocks or a text. */
function isStructured({ mimeType, content, format }: ToolEndpoint): boolean {
  return mimeType === null && content !== 'rows' && format === null;
}

/** svc knows whether SQL reads only; for a Python function only its author knows. */
function hints({ language, mode }: CompiledSource, annotations: ToolEndpoint['annotations']): JsonObject {
  if (language === 'sql') return { annotations: { readOnlyHint: mode === 'read', ...annotations } };
  return Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } };
}

/** A resource as `resources/list` shows it, or `resources/templates/list` if its URI has placeholders. */
export function toWireResource(resource: ResourceEndpoint, mimeType: string): JsonObject {
  const { uri, parameters } = resource;
  return {
    ...(parameters.length === 0 ? { uri } : { uriTemplate: uri }),
    ...described(resource),
    mimeType,
    ...decorated(resource),
  };
}

/** A prompt as `prompts/list` shows it. */
export function toWirePrompt(prompt: PromptEndpoint): JsonObject {
  const list = prompt.parameters.map((parameter) => ({
    name: parameter.name,
    ...(parameter.title === undefined ? {} : { title: parameter.title }),
    ...(parameter.description === undefined ? {} : { description: parameter.description }),
    required: !hasDefault(parameter),
  }));
  return { ...described(prompt), ...(list.length === 0 ? {} : { arguments: list }), ...decorated(prompt) };
}

function described({ name, title, description }: Endpoint): JsonObject {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
}

/** The author's `metadata` is not included: it serves the project itself (drift, catalogues). */
function decorated({ icons, tags }: Endpoint): JsonObject {
  return {
    ...(icons.length === 0 ? {} : { icons: icons.map((icon) => ({ ...icon })) }),
    ...(tags.length === 0 ? {} : { _meta: { [TAGS_META_KEY]: tags } }),
  };
}
