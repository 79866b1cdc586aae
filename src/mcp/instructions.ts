import type { AnyEntry, Catalog } from '../catalog/model.ts';
import { isSkillFile } from '../catalog/skill.ts';
import { CALL_NAME, SEARCH_NAME } from '../catalog/tool-search.ts';
import { entriesOf, tagsOf } from '../catalog/toolset.ts';
import { mayCall } from '../context.ts';

/** The most tags that the instructions name. */
const MOST_TAGS = 40;

/**
 * Writes the `instructions` of a server from the endpoints that the caller may use: their numbers, and their tags. They
 * are short, because clients keep them in the model's context; null without any endpoint.
 *
 *     shop has 9 tools and 2 resources. By tag: orders (4), stock (3).
 */
export function writeInstructions(catalog: Catalog, held: readonly string[] | undefined): string | null {
  const entries = entriesOf(catalog).filter((entry) => mayCall(entry, held));
  if (entries.length === 0) return null;
  const has = `${catalog.project} has ${inWords(nameOffers(countsOf(entries)))}.`;
  const tags = countTags(entries);
  const shown = tags.slice(0, MOST_TAGS).map(([tag, many]) => `${tag} (${many})`);
  const more = tags.length > MOST_TAGS ? ', …' : '';
  const grouped = tags.length === 0 ? '' : ` By tag: ${shown.join(', ')}${more}.`;
  const finding = catalog.search
    ? ` Find tools with \`${SEARCH_NAME}\`; run them with \`${CALL_NAME}\`.`
    : '';
  return `${has}${grouped}${finding}`;
}

/** The number of endpoints of each kind that a server offers. */
export interface Offers {
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  readonly skills: number;
}

/** Counts what a server offers. */
export function countOffers(catalog: Catalog): Offers {
  return countsOf(entriesOf(catalog));
}

/** Names what a server offers: `2 tools`, `1 skill`. A kind without entries is left out. */
export function nameOffers({ tools, resources, prompts, skills }: Offers): readonly string[] {
  const counts = { tool: tools, resource: resources, prompt: prompts, skill: skills };
  return Object.entries(counts).flatMap(([kind, many]) =>
    many === 0 ? [] : [`${many} ${kind}${many === 1 ? '' : 's'}`],
  );
}

function countsOf(entries: readonly AnyEntry[]): Offers {
  const kinds = entries.flatMap(kindOf);
  const many = (kind: (typeof kinds)[number]) => kinds.filter((one) => one === kind).length;
  return { tools: many('tool'), resources: many('resource'), prompts: many('prompt'), skills: many('skill') };
}

/** A skill counts once, however many files it has. */
function kindOf(entry: AnyEntry): AnyEntry['kind'] | 'skill' | readonly [] {
  if (entry.kind !== 'resource' || !isSkillFile(entry)) return entry.kind;
  return entry.skill === undefined ? [] : 'skill';
}

function inWords(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** The tags with the number of their endpoints, most frequent first. */
function countTags(entries: readonly AnyEntry[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const tag of entries.flatMap(tagsOf)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].toSorted(([one, few], [other, many]) => many - few || (one < other ? -1 : 1));
}
