import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { type App, createApp } from '../../../src/app.ts';
import { createResultCache } from '../../../src/call/cache.ts';
import { createRuntime, type Runtime } from '../../../src/call/runtime.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import { LOCAL_ACCESS } from '../../../src/http/access.ts';
import type { Database } from '../../../src/ports.ts';
import { loadTree, type Tree } from '../../unit/call/project.ts';
import { ENVELOPE, MODERN } from '../../unit/mcp/fixture.ts';
import type { Person } from './conditions.ts';
import type { Endpoint } from './endpoints.ts';
import type { Ask, Probe } from './probes.ts';
import { nameOf, type Sketch } from './project.ts';

/** A server over a database of its own. */
export interface World {
  readonly app: App;
  /** Signs a user in. Requests name the user by the result. */
  readonly admit: (caller: Caller) => string;
}

export interface Caller {
  readonly user: Person;
  readonly scopes: readonly string[];
}

const AT = Date.UTC(2026, 0, 31, 14, 30);

/** A database in memory that many worlds use, one after the other. */
export async function openDatabase(): Promise<Database> {
  return openNative({ path: ':memory:', readonly: false, threads: 1 });
}

/** Every table that a world may have. */
const TABLES = ['t0', 't1', 'vault', 'l0', 'l1', 'l2', 'l3'];
const signal = new AbortController().signal;

/** Fills a database and serves a project over it. Its data cannot change from now on, so results may be kept. */
export async function openWorld(
  database: Database,
  files: Tree,
  statements: readonly string[],
): Promise<World> {
  const unused = TABLES.filter(
    (name) => !statements.some((sql) => sql.startsWith(`CREATE OR REPLACE TABLE ${name} `)),
  );
  const drops = unused.map((name) => `DROP TABLE IF EXISTS ${name}`);
  for (const sql of [...drops, ...statements]) {
    await database.run(
      { sql, values: [], mode: 'write', maxRows: 1 },
      { caller: null, signal, timeoutMs: 60_000 },
    );
  }
  const catalog = await compileCatalog(await loadTree(files));
  const unchanging: Database = {
    engine: database.engine,
    readonly: database.readonly,
    unchanging: true,
    run: (request, call) => database.run(request, call),
    prepare: (sql, mode) => database.prepare(sql, mode),
    close: () => database.close(),
  };
  const made = createRuntime({
    catalog,
    open: async () => unchanging,
    log: () => {},
    cache: createResultCache(),
  });
  const runtime: Runtime = { ...made, clock: { now: () => AT } };
  const callers: Caller[] = [];
  const app = createApp({
    runtime: () => runtime,
    version: '1.2.3',
    stateless: true,
    log: () => {},
    pageSize: 2,
    access: LOCAL_ACCESS,
    authenticate: async (request) => callers[Number(request.headers.get('x-caller'))] ?? null,
  });
  return { app, admit: (caller) => String(callers.push(caller) - 1) };
}

/** What a client receives. */
export interface Answer {
  readonly request: string;
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

const META = 'io.modelcontextprotocol';
const VIEWS = { extensions: { [`${META}/ui`]: { mimeTypes: ['text/html;profile=mcp-app'] } } };

/** Sends the request of a probe, and reads the links and the further pages of its answer. */
export async function ask(
  world: World,
  sketch: Sketch,
  key: string,
  probe: Probe,
): Promise<readonly Answer[]> {
  if (probe.ask.of === 'page') {
    const { path, accept } = probe.ask;
    const headers = { host: 'localhost:8000', accept, 'x-caller': key };
    return [await answerOf(world, new Request(`http://localhost:8000${path}`, { headers }), path)];
  }
  const { method, params } = toMessage(sketch, probe);
  const first = await send(world, key, probe, method, params);
  const link = /svc-result:[\w.~-]+/.exec(first.raw)?.[0];
  if (link !== undefined) {
    const file = await send(world, key, probe, 'resources/read', { uri: link });
    return [first.answer, file.answer];
  }
  const cursor = /"nextCursor":"([^"]+)"/.exec(first.raw)?.[1];
  if (cursor === undefined) return [first.answer];
  const next = await send(world, key, probe, method, { cursor });
  return [first.answer, next.answer];
}

type Params = Readonly<Record<string, unknown>>;

async function send(world: World, key: string, probe: Probe, method: string, params: Params) {
  const { era, watches, views, query } = probe;
  const modern = {
    ...ENVELOPE,
    ...(views ? { [`${META}/clientCapabilities`]: VIEWS } : {}),
    ...(watches ? { [`${META}/logLevel`]: 'debug' } : {}),
  };
  const token = watches ? { progressToken: 'p' } : {};
  const meta = era === 'modern' ? { ...modern, ...token } : token;
  const body = { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: meta } };
  const named = params.name ?? params.uri;
  const headers = new Headers({
    host: 'localhost:8000',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era === 'modern' ? MODERN : '2025-11-25',
    'x-caller': key,
    ...(era === 'modern' ? { 'mcp-method': method } : {}),
    // As a legacy client that said at its beginning that it shows views.
    ...(era === 'legacy' && views ? { 'mcp-session-id': 'svc-views-1' } : {}),
    ...(era === 'modern' && typeof named === 'string' ? { 'mcp-name': named } : {}),
  });
  const request = new Request(`http://localhost:8000/mcp${query}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const response = await world.app.fetch(request);
  const raw = await response.text();
  return { raw, answer: toAnswer(`${method} ${JSON.stringify(params)}`, response, raw) };
}

async function answerOf({ app }: World, request: Request, path: string): Promise<Answer> {
  const response = await app.fetch(request);
  return toAnswer(`GET ${path}`, response, await response.text());
}

function toAnswer(request: string, response: Response, raw: string): Answer {
  const headers = [...response.headers]
    .filter(([name]) => name !== 'x-request-id' && name !== 'date')
    .map(([name, value]) => `${name}: ${value}`);
  return {
    request: normalised(request),
    status: response.status,
    headers: headers.join('\n'),
    body: normalised(raw),
  };
}

/** Tells each second that a statement is still running. */
const BEAT = /event: message\ndata: \{[^\n]*The statement has been running for \d+ s\.[^\n]*\n\n/g;

/**
 * Removes what differs between two runs of one request: ids, times and sealed links. The content hash of the project and
 * the numbers of its endpoints are public (docs/explanation/security.md).
 */
function normalised(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/svc-result:[\w.~-]+/g, (link) => `LINK of ${link.length}`)
    .replaceAll(/took \d+ ms/g, 'took N ms')
    .replaceAll(BEAT, '')
    .replaceAll(/"(nextCursor|cursor)":"[0-9a-f]{8}\./g, '"$1":"HASH.')
    .replaceAll(/"(svc-kit\/hash|hash)":"[0-9a-f]+"/g, '"$1":"HASH"')
    .replaceAll(/"(tools|resources|prompts)":\d+/g, '"$1":N')
    .replaceAll(/An MCP server: [^<]* for AI clients/g, 'An MCP server');
}

function toMessage(
  { endpoints, search }: Sketch,
  { era, ask: asked }: Probe,
): { method: string; params: Params } {
  const call = (name: string, args: Params) => ({ method: 'tools/call', params: { name, arguments: args } });
  const run = (name: string, args: Params) =>
    search ? call('call', { name, arguments: args }) : call(name, args);
  if (asked.of === 'page') throw new Error('A page is no message.');
  if (asked.of === 'list') {
    const discover = era === 'modern' ? 'server/discover' : 'initialize';
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    if (asked.method !== 'discover') return { method: asked.method, params: {} };
    return { method: discover, params: era === 'modern' ? {} : hello };
  }
  if (asked.of === 'sql') return run('execute_sql_query', { sql: asked.sql });
  if (asked.of === 'tables') return run('list_tables', {});
  if (asked.of === 'schema') return run('get_table_schema', { table_name: asked.table });
  if (asked.of === 'search') return call('search', { query: asked.query });
  if (asked.of === 'unknown') return run(asked.name, {});
  const index = targetOf(endpoints, asked);
  const endpoint = endpoints[index];
  if (endpoint === undefined) return run('nothing', {});
  return toEndpointMessage(endpoint, index, asked, run);
}

/** The endpoint that a request means: one with a view or with a completion, if there is one. */
function targetOf(endpoints: readonly Endpoint[], { of, at }: EndpointAsk): number {
  const suits = ({ kind, form }: Endpoint) => {
    if (of === 'view') return kind === 'tool' && form === 'view';
    return of === 'complete' ? kind !== 'tool' : true;
  };
  const suited = [...endpoints.keys()].filter((index) => {
    const endpoint = endpoints[index];
    return endpoint !== undefined && suits(endpoint);
  });
  return suited[at % Math.max(1, suited.length)] ?? at % Math.max(1, endpoints.length);
}

type EndpointAsk = Extract<Ask, { readonly at: number }>;

function toEndpointMessage(
  endpoint: Endpoint,
  index: number,
  asked: EndpointAsk,
  run: (name: string, args: Params) => { method: string; params: Params },
): { method: string; params: Params } {
  const name = nameOf(endpoint, index);
  if (asked.of === 'view') return { method: 'resources/read', params: { uri: `ui://svc-kit/${name}` } };
  if (asked.of === 'complete') {
    const ref =
      endpoint.kind === 'prompt' ? { type: 'ref/prompt', name } : { type: 'ref/resource', uri: name };
    const argument = { name: endpoint.kind === 'prompt' ? 'region' : 'id', value: asked.value };
    return { method: 'completion/complete', params: { ref, argument } };
  }
  const { args } = asked;
  if (endpoint.kind === 'tool') return run(name, args);
  if (endpoint.kind === 'prompt') {
    const texts = Object.entries(args).map(([key, value]) => [key, value === null ? 'null' : String(value)]);
    return { method: 'prompts/get', params: { name, arguments: Object.fromEntries(texts) } };
  }
  return { method: 'resources/read', params: { uri: `ledger://${index}/${args.id ?? 0}` } };
}
