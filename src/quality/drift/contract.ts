import type { AnyEntry, Catalog } from '../../catalog/model.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { EndpointKind } from '../../project/model.ts';
import { toInputSchema, toOutputSchema } from '../../types/schema.ts';

/** What a client can know of one endpoint, and rely on; plain JSON without keys that say nothing. */
export type EndpointContract = {
  /** Of a resource, whose key is its URI. */
  readonly name?: JsonValue;
  readonly title?: JsonValue;
  readonly description?: JsonValue;
  /** The schema of the arguments, in whatever way the kind of endpoint takes them. */
  readonly input: JsonObject;
  readonly output?: JsonObject;
  readonly annotations?: JsonObject;
  readonly mimeType?: JsonValue;
  readonly content?: JsonValue;
  readonly scopes?: JsonValue;
  readonly confirm?: JsonValue;
  readonly ask?: JsonValue;
  readonly icons?: JsonValue;
  readonly _meta?: JsonValue;
};

/** What clients see of a server: `tool get_customer`, `resource shop://hours` -> its contract. */
export type Contract = { readonly [subject: string]: EndpointContract };

/** What clients see of a catalog. */
export function toContract({ tools, resources, prompts }: Catalog): Contract {
  const entries = [tools, resources, prompts].flatMap((kind) => Object.values<AnyEntry>(kind));
  return Object.fromEntries(entries.map((entry) => [contractSubjectOf(entry), toEndpointContract(entry)]));
}

/** What an endpoint goes by; a resource by its URI. */
export function contractSubjectOf(endpoint: {
  readonly kind: EndpointKind;
  readonly name: string;
  readonly uri?: string;
}): string {
  return `${endpoint.kind} ${endpoint.uri ?? endpoint.name}`;
}

/** The contract of one endpoint. */
export function toEndpointContract(entry: AnyEntry): EndpointContract {
  const { scopes, confirm, ask, wire } = entry;
  const { name, inputSchema, outputSchema, arguments: _, uri: __, uriTemplate: ___, ...shown } = wire;
  const output = outputOf(entry);
  const content = entry.kind === 'tool' ? { mimeType: entry.mimeType, content: entry.content } : {};
  return toJson({
    ...shown,
    ...content,
    ...(entry.kind === 'resource' ? { name } : {}),
    input: inputSchema ?? toInputSchema(entry.parameters),
    output,
    scopes,
    confirm,
    ask,
  });
}

/** A tool's own schema knows what policies take out; of a resource clients read the text that it describes. */
function outputOf(entry: AnyEntry): JsonValue | undefined {
  if (entry.kind === 'tool') return entry.wire.outputSchema;
  return entry.kind === 'resource' && entry.returns !== null ? toOutputSchema(entry.returns) : undefined;
}

/** What JSON keeps, which is all that a file can be compared with. */
function toJson(contract: { readonly [key: string]: unknown }): EndpointContract {
  return JSON.parse(JSON.stringify(contract));
}
