import { SvcError } from '../errors.ts';
import { isList } from '../json.ts';
import type { AnyEntry, Catalog } from './model.ts';
import { TAGS_META_KEY } from './wire.ts';

/** Parses a comma-separated list of tags, as `svc serve --tags`, `/mcp?tags=` and the header have it. */
export function parseTags(text: string): readonly string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  return [...new Set(tags)].filter((tag) => tag !== '').toSorted();
}

/**
 * Returns the catalog with only the endpoints that have one of these tags; no tags mean all endpoints. Throws
 * endpoint_unknown for a tag that no endpoint has, because an empty server would not explain itself.
 *
 *     narrowCatalog(catalog, ['orders', 'stock'])
 */
export function narrowCatalog(catalog: Catalog, tags: readonly string[]): Catalog {
  if (tags.length === 0) return catalog;
  const known = new Set(entriesOf(catalog).flatMap(tagsOf));
  const unknown = tags.find((tag) => !known.has(tag));
  if (unknown !== undefined) {
    throw new SvcError('endpoint_unknown', `No endpoint has the tag ${unknown.slice(0, 64)}.`);
  }
  const { tools, resources, prompts } = catalog;
  const only = <Entry extends AnyEntry>(entries: { readonly [key: string]: Entry }) =>
    Object.fromEntries(
      Object.entries(entries).filter(([, entry]) => tagsOf(entry).some((tag) => tags.includes(tag))),
    );
  return { ...catalog, tools: only(tools), resources: only(resources), prompts: only(prompts) };
}

/** The tags of an endpoint. */
export function tagsOf({ wire }: AnyEntry): readonly string[] {
  const { _meta: meta } = wire;
  const tags = typeof meta === 'object' && meta !== null && TAGS_META_KEY in meta ? meta[TAGS_META_KEY] : [];
  return isList(tags) ? tags.map(String) : [];
}

/** All endpoints of a catalog. */
export function entriesOf({ tools, resources, prompts }: Catalog): readonly AnyEntry[] {
  return [tools, resources, prompts].flatMap<AnyEntry>((kind) => Object.values(kind));
}
