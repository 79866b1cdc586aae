import type { CacheHint, ServerCapabilities } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/model.ts';
import type { ServeOptions } from './parts.ts';

/** What a server can do: no more than its catalog has, and in the legacy era no more than its sessions allow. */
export function capabilitiesOf(catalog: Catalog, tells: boolean): ServerCapabilities {
  const has = {
    tools: Object.keys(catalog.tools).length > 0,
    resources: Object.keys(catalog.resources).length > 0,
    prompts: Object.keys(catalog.prompts).length > 0,
  };
  return {
    // An empty project still answers the one list that every client asks for.
    ...(has.tools || !(has.resources || has.prompts) ? { tools: {} } : {}),
    ...(has.resources ? { resources: {} } : {}),
    ...(has.prompts ? { prompts: {} } : {}),
    ...(isCompletable(catalog) ? { completions: {} } : {}),
    ...(tells ? { logging: {} } : {}),
  };
}

function isCompletable({ resources, prompts }: Catalog): boolean {
  return [...Object.values(resources), ...Object.values(prompts)].some(
    ({ parameters }) => parameters.length > 0,
  );
}

const LIST_TTL_MS = 60_000;

/** How long clients may keep what they were told (2026-07-28). */
export function cacheHintsOf({ private: isPrivate }: ServeOptions) {
  const list: CacheHint = { ttlMs: LIST_TTL_MS, cacheScope: isPrivate ? 'private' : 'public' };
  return {
    'server/discover': list,
    'tools/list': list,
    'resources/list': list,
    'resources/templates/list': list,
    'prompts/list': list,
    // Data may change at any time, and policies and SQL may look at who reads it.
    'resources/read': { ttlMs: 0, cacheScope: 'private' } satisfies CacheHint,
  };
}
