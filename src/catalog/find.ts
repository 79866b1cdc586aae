import { own } from '../json.ts';
import type { EndpointKind } from '../project/model.ts';
import type { UriTemplate } from '../project/uri.ts';
import { hasDefault, type Parameter } from '../types/node.ts';
import type { AnyEntry, Catalog, ResourceEntry } from './model.ts';

/** A resource and the values of its placeholders in a URI. */
export interface FoundResource {
  readonly entry: ResourceEntry;
  readonly values: { readonly [name: string]: string };
}

/** Finds an entry by its name, or a resource by its URI as written; undefined if the catalog has none. */
export function findEntry(catalog: Catalog, kind: EndpointKind, name: string): AnyEntry | undefined {
  const { tools, resources, prompts } = catalog;
  const entries: { readonly [key: string]: AnyEntry } = { tool: tools, resource: resources, prompt: prompts }[
    kind
  ];
  return own(entries, name);
}

/** A placeholder stands for one segment of a path; other characters are percent-encoded (RFC 6570, 3.2.2). */
const BREAK = /[/?#]/;

/** Finds the resource of a URI: the one with that exact URI, else the template with the most literal text. */
export function findResource(catalog: Catalog, uri: string): FoundResource | null {
  const exact = Object.hasOwn(catalog.resources, uri) ? catalog.resources[uri] : undefined;
  if (exact !== undefined && exact.template.variables.length === 0) return { entry: exact, values: {} };
  for (const entry of templatesOf(catalog)) {
    const values = matchUri(entry.template, uri, entry.parameters);
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

/**
 * Matches a URI against a template and returns the decoded values of its placeholders; null without
 * a match. Each placeholder takes the shortest text, which finds a match whenever one exists. One whose parameter has a
 * default may take none, as RFC 6570 expands a variable without a value; it is missing in the values.
 */
export function matchUri(
  { literals, variables }: UriTemplate,
  uri: string,
  parameters: readonly Parameter[] = [],
): { readonly [name: string]: string } | null {
  const [first = '', ...after] = literals;
  if (variables.length === 0) return uri === first ? {} : null;
  if (!uri.startsWith(first)) return null;
  const values: [string, string][] = [];
  let from = first.length;
  for (const [index, name] of variables.entries()) {
    const literal = after[index] ?? '';
    const last = index === variables.length - 1;
    const isOptional = parameters.some((parameter) => parameter.name === name && hasDefault(parameter));
    const least = isOptional ? from : from + 1;
    const end = last ? uri.length - literal.length : uri.indexOf(literal, least);
    const value = end >= least && uri.startsWith(literal, end) ? decode(uri.slice(from, end)) : null;
    if (value === null) return null;
    if (value !== '') values.push([name, value]);
    from = end + literal.length;
  }
  return Object.fromEntries(values);
}

function decode(piece: string): string | null {
  if (BREAK.test(piece)) return null;
  try {
    return decodeURIComponent(piece);
  } catch {
    return null;
  }
}
