import type { AnyEntry, Catalog, ToolEntry } from '../../catalog/model.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { EndpointKind } from '../../project/model.ts';
import { toInputSchema, toOutputSchema } from '../../types/schema.ts';

/** Everything that a client can see of one endpoint and rely on. Plain JSON without empty keys. */
export type EndpointContract = {
  /** Set for resources, whose key is the URI. */
  readonly name?: JsonValue;
  readonly title?: JsonValue;
  readonly description?: JsonValue;
  /** The schema of the arguments, in the same form for every kind of endpoint. */
  readonly input: JsonObject;
  readonly output?: JsonObject;
  readonly annotations?: JsonObject;
  readonly mimeType?: JsonValue;
  readonly content?: JsonValue;
  readonly format?: JsonValue;
  readonly large_result?: JsonValue;
  readonly scopes?: JsonValue;
  readonly confirm?: JsonValue;
  readonly ask?: JsonValue;
  readonly icons?: JsonValue;
  readonly _meta?: JsonValue;
};

/** The endpoints of a server as clients see them, by subject such as `tool get_customer` or `resource shop://hours`. */
export type Contract = { readonly [subject: string]: EndpointContract };

/** Converts a catalog to its contract. */
export function toContract({ tools, resources, prompts }: Catalog): Contract {
  const entries = [tools, resources, prompts].flatMap((kind) => Object.values<AnyEntry>(kind));
  return Object.fromEntries(entries.map((entry) => [contractSubjectOf(entry), toEndpointContract(entry)]));
}

/** The subject of an endpoint. A resource is identified by its URI. */
export function contractSubjectOf(endpoint: {
  readonly kind: EndpointKind;
  readonly name: string;
  readonly uri?: string;
}): string {
  return `${endpoint.kind} ${endpoint.uri ?? endpoint.name}`;
}

/** Converts an entry to its contract. */
export function toEndpointContract(entry: AnyEntry): EndpointContract {
  const { scopes, confirm, ask, wire } = entry;
  const { name, inputSchema, outputSchema, arguments: _, uri: __, uriTemplate: ___, ...shown } = wire;
  const output = outputOf(entry);
  const form = entry.kind === 'tool' ? formOf(entry) : {};
  return toJson({
    ...shown,
    ...form,
    ...(entry.kind === 'resource' ? { name } : {}),
    input: inputSchema ?? toInputSchema(entry.parameters),
    output,
    scopes,
    confirm,
    ask,
  });
}

/** The form of a tool's answers, which its schemas do not show. */
function formOf({ mimeType, content, format, largeResult }: ToolEntry) {
  return { mimeType, content, format, large_result: largeResult };
}

/** A tool's schema already reflects its policies. Clients of a resource read a text, so its declared type is compared. */
function outputOf(entry: AnyEntry): JsonValue | undefined {
  if (entry.kind === 'tool') return entry.wire.outputSchema;
  return entry.kind === 'resource' && entry.returns !== null ? toOutputSchema(entry.returns) : undefined;
}

/** Reduces a contract to JSON, because it is compared with a file. */
function toJson(contract: { readonly [key: string]: unknown }): EndpointContract {
  return JSON.parse(JSON.stringify(contract));
}
