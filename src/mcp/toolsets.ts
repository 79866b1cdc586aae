import type { Runtime } from '../call/runtime.ts';
import { narrowCatalog, parseTags } from '../catalog/toolset.ts';

/** The header that selects a toolset, beside the query `tags` of the endpoint's URL. */
const TAGS_HEADER = 'svc-tags';

/** The most toolsets of a server that are kept ready. */
const MOST_TOOLSETS = 32;

/** Returns the part of a server that a request selects. Throws endpoint_unknown for an unknown tag. */
export type FindToolset<Part> = (request: Request) => Part;

/**
 * Makes a part of each toolset on its first use. Tags of the URL and of the header both narrow: an endpoint needs one of
 * each. A toolset is a choice of the client; scopes and policies apply inside as everywhere.
 */
export function createToolsets<Part>(runtime: Runtime, make: (narrowed: Runtime) => Part): FindToolset<Part> {
  const whole = make(runtime);
  const kept = new Map<string, Part>();
  return ({ url, headers }) => {
    const query = url.indexOf('?');
    const header = headers.get(TAGS_HEADER);
    if (query === -1 && header === null) return whole;
    const asked = query === -1 ? '' : new URLSearchParams(url.slice(query)).getAll('tags').join(',');
    const [inUrl, inHeader] = [parseTags(asked), parseTags(header ?? '')];
    if (inUrl.length + inHeader.length === 0) return whole;
    const key = JSON.stringify([inUrl, inHeader]);
    const found = kept.get(key);
    if (found !== undefined) return found;
    const catalog = narrowCatalog(narrowCatalog(runtime.catalog, inUrl), inHeader);
    const part = make({ ...runtime, catalog });
    if (kept.size >= MOST_TOOLSETS) kept.clear();
    kept.set(key, part);
    return part;
  };
}
