import type { Catalog, ResourceEntry } from './model.ts';
import { matchUri } from './uri.ts';

/** A resource and the values of its placeholders in a URI. */
export interface FoundResource {
  readonly entry: ResourceEntry;
  readonly values: { readonly [name: string]: string };
}

/** Finds the resource of a URI: the one with that exact URI, else the template with the most literal text. */
export function findResource(catalog: Catalog, uri: string): FoundResource | null {
  const exact = Object.hasOwn(catalog.resources, uri) ? catalog.resources[uri] : undefined;
  if (exact !== undefined && exact.template.variables.length === 0) return { entry: exact, values: {} };
  for (const entry of templatesOf(catalog)) {
    const values = matchUri(entry.template, uri);
    if (values !== null) return { entry, values };
  }
  return null;
}

const known = new WeakMap<Catalog, readonly ResourceEntry[]>();

function templatesOf(catalog: Catalog): readonly ResourceEntry[] {
  const sorted = known.get(catalog);
  if (sorted !== undefined) return sorted;
  const templates = Object.values(catalog.resources)
    .filter(({ template }) => template.variables.length > 0)
    .toSorted((one, other) => fixedLength(other) - fixedLength(one));
  known.set(catalog, templates);
  return templates;
}

function fixedLength({ template }: ResourceEntry): number {
  return template.literals.join('').length;
}
