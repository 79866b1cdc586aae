import type { Catalog } from '../../catalog/model.ts';
import { SEARCH_TOOLS } from '../../catalog/tool-search.ts';
import { entriesOf, narrowCatalog, tagsOf } from '../../catalog/toolset.ts';
import type { JsonObject } from '../../json.ts';

/** The tokens that the tools of a project cost in a model's context, before any call. */
export interface TokenBill {
  readonly tools: number;
  /** All tools listed. */
  readonly listed: number;
  /** The tools `search` and `call` in place of all. */
  readonly searched: number;
  /** Each toolset of one tag, the cheapest last. */
  readonly toolsets: readonly { readonly tag: string; readonly tools: number; readonly tokens: number }[];
  /** The most expensive tools. */
  readonly largest: readonly { readonly tool: string; readonly tokens: number }[];
}

/** The usual estimate for English and JSON. Each model counts differently. */
const CHARACTERS_PER_TOKEN = 4;
const MOST_LARGEST = 5;

/** Estimates the tokens of a text, or of the JSON of a value. */
export function estimateTokens(value: string | JsonObject | readonly JsonObject[]): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Estimates the tokens of a catalog's tools: all listed, searched, and by toolset. */
export function toTokenBill(catalog: Catalog): TokenBill {
  const tags = [...new Set(entriesOf(catalog).flatMap(tagsOf))];
  const toolsets = tags.map((tag) => {
    const narrowed = narrowCatalog(catalog, [tag]);
    return { tag, tools: Object.keys(narrowed.tools).length, tokens: estimateTokens(listOf(narrowed)) };
  });
  const largest = Object.values(catalog.tools).map(({ name, wire }) => ({
    tool: name,
    tokens: estimateTokens(wire),
  }));
  return {
    tools: largest.length,
    listed: estimateTokens(listOf(catalog)),
    searched: estimateTokens(SEARCH_TOOLS),
    toolsets: toolsets.filter(({ tools }) => tools > 0).toSorted(byTokens),
    largest: largest.toSorted(byTokens).slice(0, MOST_LARGEST),
  };
}

function listOf({ tools }: Catalog): readonly JsonObject[] {
  return Object.values(tools).map(({ wire }) => wire);
}

function byTokens(one: { readonly tokens: number }, other: { readonly tokens: number }): number {
  return other.tokens - one.tokens;
}
