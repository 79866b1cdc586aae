import { type App, type AppOptions, createApp } from '../../../src/app.ts';
import type { Runtime } from '../../../src/call/runtime.ts';
import type { Catalog, ToolEntry } from '../../../src/catalog/model.ts';
import { SvcError } from '../../../src/errors.ts';
import { LOCAL_ACCESS } from '../../../src/http/access.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { Caller } from '../../../src/mcp/context.ts';
import type { Database, LogLine, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { NO_SPANS } from '../../../src/telemetry/no-spans.ts';
import type { Parameter, TypeNode } from '../../../src/types/node.ts';

/** A database whose statements are the names of what it does. */
export interface FakeDatabase extends Database {
  readonly calls: { readonly request: SqlRequest; readonly call: SqlCall }[];
}

const rows = (...values: readonly JsonObject[]): SqlResult => ({
  columns: Object.keys(values[0] ?? {}).map((name) => ({ name, type: 'VARCHAR' })),
  rows: values,
  truncated: false,
});

const STATEMENTS: Record<string, (request: SqlRequest, call: SqlCall) => SqlResult | Promise<SqlResult>> = {
  'SELECT 1 AS ok': () => rows({ ok: 1 }),
  greet: ({ values }) => rows({ greeting: `Hello, ${values[0]}!` }),
  numbers: () => rows({ n: 1 }, { n: 2 }, { n: 3 }),
  cut: () => ({ ...rows({ n: 1 }, { n: 2 }), truncated: true }),
  nothing: () => rows(),
  odd: () => ({
    columns: [{ name: '__proto__', type: 'VARCHAR' }],
    rows: [JSON.parse('{"__proto__": "x", "constructor": "\\ud800\u2028</script>", "7": 1e300}')],
    truncated: false,
  }),
  'odd text': () => rows({ text: '\ud800"\\\u0000' }),
  number: () => rows({ n: null }),
  broken: () => {
    throw new SvcError('sql_failed', 'Catalog Error: table secret_table does not exist', {
      cause: new Error('secret_table'),
    });
  },
  crash: () => {
    throw new TypeError('secret internals');
  },
  late: () => {
    throw new SvcError('deadline_exceeded', 'The query took longer than 30 s.');
  },
  wait: (_request, { signal }) =>
    new Promise((_resolve, reject) => {
      const stop = () => reject(new SvcError('cancelled', 'The call was cancelled.'));
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    }),
};

/** The Database port in memory. */
function createFakeDatabase(): FakeDatabase {
  const calls: FakeDatabase['calls'] = [];
  return {
    engine: 'duckdb-wasm',
    readonly: true,
    calls,
    run: async (request, call) => {
      calls.push({ request, call });
      const statement = STATEMENTS[request.sql];
      if (statement === undefined) throw new Error(`no such statement: ${request.sql}`);
      return statement(request, call);
    },
    prepare: async () => [],
    close: async () => {},
  };
}

interface ToolSketch {
  readonly sql: string;
  readonly parameters?: readonly Parameter[];
  readonly returns?: TypeNode;
  readonly order?: readonly string[];
}

/** A compiled tool whose statement is one of the fake database's. */
export function tool(name: string, { sql, parameters = [], returns, order }: ToolSketch): ToolEntry {
  const properties = Object.fromEntries(parameters.map(({ name: key, ...node }) => [key, node]));
  const required = parameters.filter((parameter) => !('default' in parameter)).map(({ name: key }) => key);
  return {
    kind: 'tool',
    name,
    parameters,
    returns: returns ?? null,
    source: {
      language: 'sql',
      sql,
      order: order ?? parameters.map((p) => p.name),
      mode: 'read',
      operation: 'SELECT',
      hash: '',
    },
    policies: { input: [], output: [] },
    limits: { rows: 100, bytes: 10_000, timeoutMs: 1_000 },
    wire: {
      name,
      description: `Runs ${sql}`,
      inputSchema: { type: 'object', properties, required } as unknown as JsonObject,
      ...(returns === undefined ? {} : { outputSchema: returns as unknown as JsonObject }),
    },
  };
}

const PERSON: Parameter = { name: 'name', type: 'string', minLength: 2 };
const LIST: TypeNode = { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } };

/** Tools for every outcome that a client can meet. */
export const TOOLS: readonly ToolEntry[] = [
  tool('wait', { sql: 'wait' }),
  tool('greet', {
    sql: 'greet',
    parameters: [PERSON],
    returns: { type: 'object', properties: { greeting: { type: 'string' } } },
  }),
  tool('greeting', { sql: 'greet', parameters: [PERSON], returns: { type: 'string' } }),
  tool('numbers', { sql: 'numbers', returns: LIST }),
  tool('undeclared', { sql: 'numbers' }),
  tool('cut', { sql: 'cut', returns: LIST }),
  tool('maybe', { sql: 'nothing', returns: { type: 'object', nullable: true } }),
  tool('missing', { sql: 'nothing', returns: { type: 'object' } }),
  tool('broken', { sql: 'broken' }),
  tool('crash', { sql: 'crash' }),
  tool('late', { sql: 'late' }),
];

/** A catalog of some tools. */
export function catalogOf(tools: readonly ToolEntry[], hash = '0123456789abcdef'): Catalog {
  const named = Object.fromEntries(tools.map((entry) => [entry.name, entry]));
  return { project: 'demo', hash, tools: named, resources: {}, prompts: {} };
}

/** A runtime over the fake database, with its log at hand. */
export interface FakeRuntime extends Runtime {
  readonly fake: FakeDatabase;
  readonly lines: LogLine[];
}

/** The runtime of some tools. */
export function createFakeRuntime(tools: readonly ToolEntry[] = TOOLS): FakeRuntime {
  const fake = createFakeDatabase();
  const lines: LogLine[] = [];
  return {
    catalog: catalogOf(tools),
    database: async () => fake,
    spans: NO_SPANS,
    clock: { now: () => 0 },
    log: (line) => void lines.push(line),
    fake,
    lines,
  };
}

/** An app as a loopback server has it. */
export function createTestApp(
  runtime: Runtime = createFakeRuntime(),
  options: Partial<AppOptions> = {},
): App {
  return createApp({
    runtime: () => runtime,
    version: '1.2.3',
    stateless: true,
    log: runtime.log,
    access: LOCAL_ACCESS,
    ...options,
  });
}

/** Nobody in particular, over HTTP. */
export const CALLER: Caller = {
  requestId: 'r-1',
  transport: 'http',
  user: null,
  headers: () => null,
  sessionId: null,
  traceparent: null,
  signal: new AbortController().signal,
};

export const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol';

/** The `_meta` that a request of 2026-07-28 must carry. */
export const ENVELOPE = {
  [`${META}/protocolVersion`]: MODERN,
  [`${META}/clientCapabilities`]: {},
  [`${META}/clientInfo`]: { name: 'test', version: '1' },
};

type Body = { [key: string]: unknown };

/** A well-formed request of 2026-07-28: its body and the headers that repeat it. */
export function modern(method: string, params: Body = {}, id: unknown = 7) {
  const body = { jsonrpc: '2.0', id, method, params: { ...params, _meta: ENVELOPE } };
  const headers: Record<string, string> = { 'mcp-protocol-version': MODERN, 'mcp-method': method };
  const named = params.name ?? params.uri;
  if (typeof named === 'string') headers['mcp-name'] = named;
  return { body, headers };
}

/** A well-formed request of an older revision. */
export function legacy(method: string, params: Body = {}, version: string | null = '2025-11-25') {
  const headers: Record<string, string> = version === null ? {} : { 'mcp-protocol-version': version };
  return { body: { jsonrpc: '2.0', id: 7, method, params }, headers };
}

const BASE_HEADERS = {
  host: 'localhost:8000',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** A POST to the MCP endpoint as it is on the wire. */
export function post(body: unknown, headers: Record<string, string> = {}, path = '/mcp'): Request {
  return new Request(`http://localhost:8000${path}`, {
    method: 'POST',
    headers: { ...BASE_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Sends one request and reads the JSON answer. */
export async function exchange(
  app: App,
  { body, headers }: { body: unknown; headers: Record<string, string> },
) {
  const response = await app.fetch(post(body, headers));
  return {
    status: response.status,
    response,
    json: (await response.json()) as Body,
  };
}
