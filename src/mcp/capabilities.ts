import type { CacheHint, ServerCapabilities } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/model.ts';
import { skillsOf } from '../catalog/skill.ts';
import type { ServeOptions, ServerDeps } from './context.ts';
import { hasViews } from './views/views.ts';

/** The capabilities that a server declares: only those that its catalog needs and its transport can keep. */
export function capabilitiesOf(catalog: Catalog, { era, ...parts }: ServerDeps): ServerCapabilities {
  // A client of the legacy era says once what it wants to be told, and reads it on a stream of its session.
  const kept = era === 'modern' || parts.sessions === true;
  const listens = kept && parts.changes !== undefined;
  const list = listens && parts.reloads ? { listChanged: true } : {};
  const read = listens ? { subscribe: true } : {};
  const has = {
    tools: Object.keys(catalog.tools).length > 0,
    resources: readsResources(catalog) || hasViews(catalog),
    prompts: Object.keys(catalog.prompts).length > 0,
  };
  return {
    // An empty project still answers the one list that every client asks for.
    ...(has.tools || !(has.resources || has.prompts) ? { tools: list } : {}),
    ...(has.resources ? { resources: { ...list, ...read } } : {}),
    ...(has.prompts ? { prompts: list } : {}),
    ...(isCompletable(catalog) ? { completions: {} } : {}),
    ...(kept || speaks(catalog) ? { logging: {} } : {}),
    ...(skillsOf(catalog).length > 0 ? { extensions: { [SKILLS_EXTENSION]: {} } } : {}),
  };
}

/** The capabilities as one client gets them: a client without views does not learn that their pages are resources. */
export function shownCapabilities(
  capabilities: ServerCapabilities,
  catalog: Catalog,
  views: boolean,
): ServerCapabilities {
  if (views || readsResources(catalog)) return capabilities;
  const { resources: _, ...others } = capabilities;
  return others;
}

/** Whether clients read resources other than pages of views. */
export function readsResources(catalog: Catalog): boolean {
  return Object.keys(catalog.resources).length > 0 || hasLinks(catalog);
}

/** Whether answers of tools link to results, which clients read like resources. */
function hasLinks({ tools }: Catalog): boolean {
  return Object.values(tools).some(({ largeResult }) => largeResult !== undefined);
}

/** Whether endpoints send log lines themselves. This needs no session, because a client may get them unasked. */
function speaks({ tools, resources }: Catalog): boolean {
  return [...Object.values(tools), ...Object.values(resources)].some(
    ({ source }) => source.language === 'python',
  );
}

function isCompletable({ resources, prompts }: Catalog): boolean {
  return [...Object.values(resources), ...Object.values(prompts)].some(
    ({ parameters }) => parameters.length > 0,
  );
}

/** Guides for models (SEP-2640). */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

const LIST_TTL_MS = 60_000;

/** The time that clients may cache a list. */
export function listCacheHint({ private: isPrivate }: ServeOptions) {
  return { ttlMs: LIST_TTL_MS, cacheScope: isPrivate ? 'private' : 'public' } satisfies CacheHint;
}

/** The time that clients may cache an answer (2026-07-28). */
export function cacheHintsOf(options: ServeOptions) {
  const list: CacheHint = listCacheHint(options);
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

/** The name under which clients know this server. */
export function toServerInfo({ project }: Catalog, version: string) {
  return { name: project, title: project, version };
}
