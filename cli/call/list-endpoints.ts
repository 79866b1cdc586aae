import type { Client } from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '../../src/json.ts';

export const CALL_KINDS = ['tool', 'resource', 'prompt'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** A tool, resource or prompt that a server offers. */
export type ListedEndpoints = {
  readonly kind: CallKind;
  /** A resource has its URI or URI template here. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments; empty unless it is a tool. */
  readonly schema: JsonObject;
};

/** Lists everything of the given kinds that the server offers to this caller. Reads all pages. */
export async function listOffers(
  client: Client,
  kinds: readonly CallKind[] = CALL_KINDS,
): Promise<readonly ListedEndpoints[]> {
  const has = client.getServerCapabilities() ?? {};
  const offers: ListedEndpoints[] = [];
  if (kinds.includes('tool') && has.tools) {
    const tools = await pages(
      (cursor) => client.listTools(cursor),
      ({ tools }) => tools,
    );
    offers.push(...tools.map((tool) => toOffer('tool', tool.name, tool.description, tool.inputSchema)));
  }
  if (kinds.includes('resource') && has.resources) {
    const fixed = await pages(
      (cursor) => client.listResources(cursor),
      ({ resources }) => resources,
    );
    const open = await pages(
      (cursor) => client.listResourceTemplates(cursor),
      (page) => page.resourceTemplates,
    );
    offers.push(...fixed.map((one) => toOffer('resource', one.uri, one.description)));
    offers.push(...open.map((one) => toOffer('resource', one.uriTemplate, one.description)));
  }
  if (kinds.includes('prompt') && has.prompts) {
    const prompts = await pages(
      (cursor) => client.listPrompts(cursor),
      (page) => page.prompts,
    );
    offers.push(...prompts.map(({ name, description }) => toOffer('prompt', name, description)));
  }
  return offers;
}

function toOffer(kind: CallKind, name: string, description = '', schema: unknown = {}): ListedEndpoints {
  return { kind, name, description, schema: schema as { readonly [key: string]: JsonValue } };
}

async function pages<Page extends { readonly nextCursor?: string | undefined }, Item>(
  fetchPage: (params: { cursor?: string }) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor === undefined ? {} : { cursor });
    items.push(...itemsOf(page));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}
