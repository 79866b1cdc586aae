import type { RequestContext } from '../context.ts';
import { callTool } from '../endpoint/execute.ts';
import type { Outcome, Runtime } from '../endpoint/runtime.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { EndpointKind } from '../project/model.ts';

/** Runs one endpoint of any kind by its name, as a client's call would be. */
export async function runEndpoint(
  runtime: Runtime,
  kind: EndpointKind,
  name: string,
  args: JsonObject,
  context: RequestContext,
): Promise<Outcome> {
  const entry = Object.hasOwn(runtime.catalog.tools, name) ? runtime.catalog.tools[name] : undefined;
  if (kind === 'tool' && entry) return callTool(runtime, entry, args, context);
  throw new SvcError('endpoint_unknown', `There is no ${kind} named ${name}.`);
}
