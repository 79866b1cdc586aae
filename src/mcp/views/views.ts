import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import type { Catalog, ToolEntry } from '../../catalog/model.ts';
import { columnsOf } from '../../catalog/view.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { ServerDeps } from '../context.ts';
import { VIEW_PAGE } from './page.ts';

/*
 * Views of results as MCP Apps (extension `io.modelcontextprotocol/ui`, specification of 2026-01-26). Only clients that
 * declare the extension learn of them.
 */

const EXTENSION = 'io.modelcontextprotocol/ui';
const MEDIA_TYPE = 'text/html;profile=mcp-app';
const PREFIX = 'ui://svc-kit/';

/** Whether a client's capabilities say that it shows views. */
export function showsViews(capabilities: unknown): boolean {
  const { extensions } = isObject(capabilities) ? capabilities : {};
  const declared = isObject(extensions) ? extensions[EXTENSION] : undefined;
  if (!isObject(declared)) return false;
  const { mimeTypes } = declared;
  return isList(mimeTypes) && mimeTypes.includes(MEDIA_TYPE);
}

/** Whether the client of a request shows views. A legacy client says so once, when it begins. */
export function clientShowsViews({ era, callerOf }: ServerDeps, ctx: ServerContext): boolean {
  if (era === 'legacy') {
    const { session, showsViews: declared = false } = callerOf(ctx);
    return session?.showsViews ?? declared;
  }
  const envelope: Record<string, unknown> = ctx.mcpReq.envelope ?? {};
  return showsViews(envelope[CLIENT_CAPABILITIES_META_KEY]);
}

/** Whether clients get views of a catalog's tools. They learn of a view by the list of tools, which a search replaces. */
export function hasViews({ tools, search }: Catalog): boolean {
  return search !== true && Object.values(tools).some(({ view }) => view !== undefined);
}

/** The cache scope of answers to clients with views, which a shared cache cannot tell from others. Older revisions have none. */
export function viewedScope({ era }: Pick<ServerDeps, 'era'>) {
  return era === 'modern' ? ({ cacheScope: 'private' } as const) : {};
}

/** A tool as a client with views lists it. */
export function withView({ name, view }: ToolEntry, wire: JsonObject): JsonObject {
  if (view === undefined) return wire;
  const { _meta: meta } = wire;
  return { ...wire, _meta: { ...(isObject(meta) ? meta : {}), ui: { resourceUri: `${PREFIX}${name}` } } };
}

/** The tool of a view's URI; null for any other URI. */
export function findViewed(catalog: Catalog, uri: string): ToolEntry | null {
  const { tools } = catalog;
  const name = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : '';
  const entry = Object.hasOwn(tools, name) ? tools[name] : undefined;
  return entry?.view === undefined || !hasViews(catalog) ? null : entry;
}

/** The page of a tool's view. It uses no network, so its Content-Security-Policy allows none. */
export function toViewContents(entry: ToolEntry, uri: string) {
  const text = VIEW_PAGE.replace('"__CONFIG__"', () => toScriptText(configOf(entry)));
  return { uri, mimeType: MEDIA_TYPE, text, _meta: { ui: { csp: {}, prefersBorder: true } } };
}

/** The facts about a tool that its page needs; `views/config.ts` has the type. */
function configOf({ name, view, returns, parameters, wire }: ToolEntry): JsonObject {
  const columns = returns === null ? [] : columnsOf(returns);
  return {
    tool: name,
    title: typeof wire.title === 'string' ? wire.title : name,
    view: view ?? 'table',
    columns: Object.fromEntries(
      columns.map(([column, { type, title, format }]) => [
        column,
        { type, ...(title === undefined ? {} : { title }), ...(format === undefined ? {} : { format }) },
      ]),
    ),
    pageSize: pageSizeOf(parameters),
    sorts: sortsOf(parameters),
  };
}

/** The columns by which a tool sorts: the values of its parameter `sort`, if `descending` gives the direction. */
function sortsOf(parameters: ToolEntry['parameters']): readonly string[] {
  const sort = parameters.find(({ name, type }) => name === 'sort' && type === 'string');
  const isDirected = parameters.some(({ name, type }) => name === 'descending' && type === 'boolean');
  const values = isDirected ? (sort?.enum ?? []) : [];
  return values.filter((value) => typeof value === 'string');
}

const DEFAULT_PAGE = 50;

/** The rows of a page, if the tool takes `limit` and `offset`; null otherwise. */
function pageSizeOf(parameters: ToolEntry['parameters']): number | null {
  const [limit, offset] = ['limit', 'offset'].map((wanted) =>
    parameters.find(({ name, type }) => name === wanted && type === 'integer'),
  );
  if (limit === undefined || offset === undefined) return null;
  const size = typeof limit.default === 'number' ? limit.default : DEFAULT_PAGE;
  return Math.min(size, limit.maximum ?? size);
}

/** JSON that cannot end the script element around it. */
function toScriptText(value: JsonValue): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
