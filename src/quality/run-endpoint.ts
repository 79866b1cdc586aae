import { type Call, callEndpoint } from '../call/pipeline.ts';
import type { ResolvedMessage } from '../call/prompt.ts';
import type { Outcome, Runtime } from '../call/runtime.ts';
import { findResource } from '../catalog/find.ts';
import type { Catalog, PromptEntry, ResourceEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import { SvcError } from '../errors.ts';
import { type JsonObject, own } from '../json.ts';
import type { EndpointKind } from '../project/model.ts';

/** Runs one endpoint of any kind like a client's call. A resource is named by its template, its name or a URI. */
export async function runEndpoint(
  runtime: Runtime,
  kind: EndpointKind,
  name: string,
  args: JsonObject,
  context: RequestContext,
  options: Pick<Call, 'checkResult'> = {},
): Promise<Outcome> {
  const { tools, prompts } = runtime.catalog;
  const known = <Entry>(entry: Entry | null | undefined): Entry => {
    if (entry) return entry;
    throw new SvcError('endpoint_unknown', `There is no ${kind} named ${name}.`);
  };
  if (kind === 'tool')
    return callEndpoint({ runtime, entry: known(own(tools, name)), args, context, ...options });
  if (kind === 'prompt') return renderPrompt(runtime, known(own(prompts, name)), args, context);
  const { entry, values } = known(resourceOf(runtime.catalog, name));
  return callEndpoint({ runtime, entry, args: { ...values, ...args }, context, ...options });
}

async function renderPrompt(
  runtime: Runtime,
  entry: PromptEntry,
  args: JsonObject,
  context: RequestContext,
): Promise<Outcome> {
  const { messages } = await callEndpoint({ runtime, entry, args, context });
  const value = messages.map(toPlain);
  return { value, text: JSON.stringify(value), truncated: null };
}

/** The form that output policies also see. An embedded resource adds its text. */
function toPlain({ role, content }: ResolvedMessage): JsonObject {
  if (content.type === 'text') return { role, type: 'text', prompt: content.text };
  const link = { role, type: 'resource', prompt: content.uri };
  return content.type === 'resource' ? { ...link, text: content.outcome.text } : link;
}

function resourceOf(
  catalog: Catalog,
  name: string,
): { readonly entry: ResourceEntry; readonly values: JsonObject } | null {
  const entry =
    own(catalog.resources, name) ?? Object.values(catalog.resources).find((one) => one.name === name);
  return entry ? { entry, values: {} } : findResource(catalog, name);
}
