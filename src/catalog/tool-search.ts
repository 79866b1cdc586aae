import { isList, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ToolEntry } from './model.ts';
import { tagsOf } from './toolset.ts';

/*
 * `tool_search`: clients see two tools in place of all. `search` finds tools by words, and `call` runs one of them,
 * so that a model reads the schemas of the tools that it needs.
 */

export const SEARCH_NAME = 'search';
export const CALL_NAME = 'call';

/** The two tools as `tools/list` shows them. */
export const SEARCH_TOOLS: readonly JsonObject[] = [
  {
    name: CALL_NAME,
    title: 'Call a tool',
    description: `Runs a tool that \`${SEARCH_NAME}\` found, with arguments that fit its inputSchema.`,
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the tool.' },
        arguments: { type: 'object', description: 'Its arguments.' },
      },
      required: ['name'],
    },
  },
  {
    name: SEARCH_NAME,
    title: 'Search tools',
    description: `Finds tools of this server by words of their names, descriptions, tags and parameters. Returns the best with their inputSchema, and the names of others. Run one with \`${CALL_NAME}\`.`,
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'Words such as `open orders customer`.' } },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
];

/** Whether a list of tools is the two that stand for all. */
export function hidesTools(listed: readonly string[]): boolean {
  return (
    listed.length === SEARCH_TOOLS.length && SEARCH_TOOLS.every(({ name }) => listed.includes(String(name)))
  );
}

/** The tools that come with their schemas, and the further ones by name. */
const MOST_DETAILED = 5;
const MOST_NAMED = 20;
/** The words of a query that count, and those of a text that are compared. */
const MOST_ASKED = 12;
const MOST_WORDS = 200;

/** Finds the tools that have most to do with the words of a query, best first. The tool whose name it is comes before all. */
export function searchTools(tools: readonly ToolEntry[], query: string): JsonObject {
  const words = wordsOf(query).slice(0, MOST_ASKED);
  const found = tools
    .map((entry) => ({
      entry,
      score: entry.name === query ? Number.POSITIVE_INFINITY : scoreOf(entry, words),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || (one.entry.name < other.entry.name ? -1 : 1))
    .map(({ entry }) => entry);
  const [best, others] = [found.slice(0, MOST_DETAILED), found.slice(MOST_DETAILED)];
  return {
    tools: best.map(({ wire: { name, description, inputSchema } }) => ({
      name: name ?? null,
      ...(description === undefined ? {} : { description }),
      inputSchema: inputSchema ?? null,
    })),
    ...(others.length === 0 ? {} : { others: others.slice(0, MOST_NAMED).map(({ name }) => name) }),
    ...(found.length === 0 ? { hint: 'No tool matches. Try other words, or a tag.' } : {}),
  };
}

/** The call of a tool inside a call of `call`; an absent or wrong name stays so. */
export function innerCall({
  arguments: outer,
  ...params
}: {
  readonly [key: string]: JsonValue | undefined;
}) {
  const { name, arguments: args } = isObject(outer) ? outer : {};
  return {
    ...params,
    ...(name === undefined ? { name: null } : { name }),
    ...(args === undefined ? {} : { arguments: args }),
  };
}

/** A word in the name counts most, then one in tags, title, parameters, and the description. */
function scoreOf(entry: ToolEntry, words: readonly string[]): number {
  const { name, parameters, wire } = entry;
  const parts: readonly (readonly [string, number])[] = [
    [name, 8],
    [tagsOf(entry).join(' '), 4],
    [textOf(wire.title), 3],
    [parameters.map((parameter) => parameter.name).join(' '), 2],
    [textOf(wire.description), 2],
  ];
  return words.reduce(
    (sum, word) =>
      sum + parts.reduce((most, [text, weight]) => Math.max(most, match(text, word) * weight), 0),
    0,
  );
}

/** 1 for a whole word, 0.5 for the beginning of one; a plural matches its singular. */
function match(text: string, word: string): number {
  const found = wordsOf(text);
  if (found.includes(word)) return 1;
  return found.some((one) => one.startsWith(word) || (one.length > 3 && word.startsWith(one))) ? 0.5 : 0;
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MOST_WORDS);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : isList(value) ? value.join(' ') : '';
}
