import type { Runtime } from '../call/runtime.ts';
import { parseSchemaProfile, withSchemaProfile } from '../catalog/schema-profile.ts';
import { narrowCatalog, parseTags } from '../catalog/toolset.ts';
import { keepLatest } from '../keep-latest.ts';

/** The header that selects a toolset, beside the query `tags` of the endpoint's URL. */
const TAGS_HEADER = 'svc-tags';

/** The most toolsets of a server that are kept ready. */
const MOST_TOOLSETS = 32;

/** The part of a runtime that a request selects. */
export interface SelectedPart {
  readonly runtime: Runtime;
  /** Whether a header selects it, so that its URL alone does not tell which lists it has. */
  readonly byHeader: boolean;
}

/** Returns the part of a server that a request selects. Throws endpoint_unknown for an unknown tag. */
export type FindToolset<Part> = (request: Request) => Part;

/**
 * Makes a part of each toolset, and of each form of schemas, on its first use. Tags of the URL and of the header both narrow: an endpoint needs one of
 * each. A toolset is a choice of the client; scopes and policies apply inside as everywhere.
 */
export function createToolsets<Part>(
  runtime: Runtime,
  make: (selected: SelectedPart) => Part,
): FindToolset<Part> {
  const whole = make({ runtime, byHeader: false });
  const kept = new Map<string, Part>();
  const select = (inUrl: readonly string[], inHeader: readonly string[], profile: string | null): Part => {
    const narrowed = narrowCatalog(narrowCatalog(runtime.catalog, inUrl), inHeader);
    const catalog = withSchemaProfile(narrowed, profile === null ? null : parseSchemaProfile(profile));
    return make({ runtime: { ...runtime, catalog }, byHeader: inHeader.length > 0 });
  };
  return ({ url, headers }) => {
    const begin = url.indexOf('?');
    const header = headers.get(TAGS_HEADER);
    if (begin === -1 && header === null) return whole;
    const query = new URLSearchParams(begin === -1 ? '' : url.slice(begin));
    const asked = query.getAll('tags').join(',');
    const [inUrl, inHeader] = [parseTags(asked), parseTags(header ?? '')];
    const profile = query.get('schema_profile');
    if (inUrl.length + inHeader.length === 0 && profile === null) return whole;
    const key = JSON.stringify([inUrl, inHeader, profile]);
    const part = kept.get(key) ?? select(inUrl, inHeader, profile);
    keepLatest(kept, { key, value: part, most: MOST_TOOLSETS });
    return part;
  };
}
