import { recordRejected } from '../call/call-record.ts';
import type { Runtime } from '../call/runtime.ts';
import { findResource } from '../catalog/find.ts';
import type { AnyEntry, Catalog } from '../catalog/model.ts';
import { CALL_NAME, innerCall } from '../catalog/tool-search.ts';
import { mayCall } from '../context.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { type Caller, toRequestContext } from './context.ts';
import { createPages, type ListPage } from './methods/pagination.ts';

const restricted = new WeakMap<Catalog, boolean>();
/** The most scope sets whose list pages are cached. */
const MAX_LISTS = 64;

/**
 * Throws the challenge if the caller's token lacks a scope of a call. For a batch the challenge names the scopes of
 * all its calls.
 */
export function enforceScopes(runtime: Runtime, body: JsonValue, caller: Caller): void {
  const { grant } = caller;
  if (grant === undefined || !isRestricted(runtime.catalog)) return;
  const messages: readonly JsonValue[] = Array.isArray(body) ? body : [body];
  const calls = messages.flatMap((message) => callOf(runtime.catalog, message));
  const refused = calls.filter(({ entry }) => !mayCall(entry, grant.scopes));
  if (refused.length === 0) return;
  const error = grant.refuse([...new Set(refused.flatMap(({ entry }) => entry.scopes ?? []))]);
  const context = toRequestContext(caller, undefined);
  for (const call of refused) recordRejected(runtime, { ...call, context, error });
  throw error;
}

/** Returns a page of a list as one caller may see it. */
export type VisiblePages = (cursor: string | undefined, caller: Caller) => ListPage;

/** Splits a list into pages without the entries whose scopes the caller's token lacks. */
export function createVisiblePages<Entry extends AnyEntry>(
  catalog: Catalog,
  entries: readonly Entry[],
  { toWire, size }: { readonly toWire: (entry: Entry) => JsonObject; readonly size?: number | undefined },
): VisiblePages {
  const all = createPages(catalog, () => entries.map(toWire), size);
  const lists = new Map<string, ReturnType<typeof createPages>>();
  const named = new Set(entries.flatMap(({ scopes = [] }) => scopes));
  return (cursor, { grant }) => {
    if (grant === undefined || named.size === 0) return all(cursor);
    const held = grant.scopes.filter((scope) => named.has(scope));
    const key = held.toSorted().join(' ');
    const known = lists.get(key);
    if (known !== undefined) return known(cursor);
    const own = entries.filter((entry) => mayCall(entry, held));
    const pages = createPages(catalog, () => own.map(toWire), size);
    if (lists.size < MAX_LISTS) lists.set(key, pages);
    return pages(cursor);
  };
}

function isRestricted(catalog: Catalog): boolean {
  const known = restricted.get(catalog);
  if (known !== undefined) return known;
  const { tools, resources, prompts } = catalog;
  const entries = [tools, resources, prompts].flatMap<AnyEntry>((kind) => Object.values(kind));
  const found = entries.some(({ scopes = [] }) => scopes.length > 0);
  restricted.set(catalog, found);
  return found;
}

/** The methods that read the resource of a URI. */
const READS: ReadonlySet<JsonValue | undefined> = new Set(['resources/read', 'skills/get']);

function callOf(catalog: Catalog, message: JsonValue): readonly { entry: AnyEntry; args: JsonObject }[] {
  if (!isObject(message) || !isObject(message.params)) return [];
  const { name, uri, arguments: given } = calledIn(catalog, message.method, message.params);
  const args = isObject(given) ? given : {};
  const toCall = (entry: AnyEntry | undefined) => (entry === undefined ? [] : [{ entry, args }]);
  if (message.method === 'tools/call') return toCall(own(catalog.tools, name));
  if (message.method === 'prompts/get') return toCall(own(catalog.prompts, name));
  if (!READS.has(message.method) || typeof uri !== 'string') return [];
  return toCall(findResource(catalog, uri)?.entry);
}

/** The parameters of the call that a message makes: those of a tool inside `call` for that tool. */
export function calledIn(catalog: Catalog, method: JsonValue | undefined, params: JsonObject): JsonObject {
  return method === 'tools/call' && isSearchCall(catalog, params.name) ? innerCall(params) : params;
}

/** Whether a call is one of `call`, which runs another tool. */
function isSearchCall({ search }: Catalog, name: JsonValue | undefined): boolean {
  return search === true && name === CALL_NAME;
}

function own<Entry>(entries: { readonly [name: string]: Entry }, name: JsonValue | undefined) {
  return typeof name === 'string' && Object.hasOwn(entries, name) ? entries[name] : undefined;
}
