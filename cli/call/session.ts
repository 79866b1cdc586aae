import type { Client } from '@modelcontextprotocol/client';
import { CLIENT_PART, loadPart } from '../../adapters/optional-packages.ts';
import { messageOf, SvcError } from '../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../src/json.ts';
import { VERSION } from '../../src/version.ts';

/** A connection to a running server, through the same client library that MCP clients use. */
export interface ClientSession {
  /** Runs work with the client. Errors are explained by the server's HTTP answer. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connects to a server's MCP endpoint in the newest revision that the server speaks. */
export async function openSession(url: string, token: string | null): Promise<ClientSession> {
  const { Client, StreamableHTTPClientTransport } = await loadPart(
    CLIENT_PART,
    () => import('@modelcontextprotocol/client'),
  );
  const met: Met = { url, token: token !== null, status: null, unreachable: null };
  const client = new Client({ name: 'svc', version: VERSION }, { versionNegotiation: { mode: 'auto' } });
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: (address, init) => watched(met, address, init),
  });
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw thrown instanceof SvcError ? thrown : toCallError(thrown, met);
    }
  };
  await ask(() => client.connect(transport));
  return { ask: (work) => ask(() => work(client)), close: () => client.close() };
}

/** Remembers the HTTP answer, because the client library's own errors seldom contain it. */
async function watched(met: Met, url: string | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    met.status = response.status;
    return response;
  } catch (thrown) {
    met.unreachable = thrown;
    throw thrown;
  }
}

/** Events on the way to a server, by which an error is explained. */
interface Met {
  readonly url: string;
  /** Whether a token was sent. */
  readonly token: boolean;
  status: number | null;
  unreachable: unknown;
}

/** Explains why a call got no answer, and how to fix that. */
function toCallError(thrown: unknown, met: Met): SvcError {
  const { url, status, unreachable } = met;
  const options = { cause: thrown };
  if (unreachable !== null)
    return new SvcError('address_unavailable', unreachableText(url, unreachable), options);
  if (status === 401)
    return new SvcError(met.token ? 'token_invalid' : 'token_missing', tokenText(met), options);
  if (status === 403)
    return new SvcError('denied', `${url} denies this call (403): ${messageOf(thrown)}`, options);
  if (status === 404 || status === 405) {
    const text = `There is no MCP endpoint at ${url} (${status}). Correct --url: it is the address that \`svc serve\` prints.`;
    return new SvcError('not_found', text, options);
  }
  if (status === 429)
    return new SvcError(
      'rate_limited',
      `${url} accepts no more calls for now (429). Try again later.`,
      options,
    );
  return new SvcError('request_invalid', `${url} answered: ${messageOf(thrown)}`, options);
}

function unreachableText(url: string, reason: unknown): string {
  return `Nothing answers at ${url}: ${causeOf(reason)}.
Start the server with \`svc serve\`, or give its address with --url.`;
}

function tokenText({ url, token }: Met): string {
  return token
    ? `${url} rejects this token (401): it has expired, or belongs to another server. Get a new one.`
    : `${url} requires a token (401). Put one into a variable, and name the variable: --token-env MCP_TOKEN.`;
}

function causeOf(reason: unknown): string {
  const inner = reason instanceof Error && reason.cause instanceof Error ? reason.cause : reason;
  if (!(inner instanceof Error)) return String(inner);
  return inner.message || ('code' in inner ? String(inner.code) : inner.name);
}

const CALL_KINDS = ['tool', 'resource', 'prompt'] as const;
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
