import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toPageModule, VIEW_PAGE_FILE } from '../../../../scripts/views/page.ts';
import { createApp } from '../../../../src/app.ts';
import { checkCatalog } from '../../../../src/catalog/checks/check.ts';
import { chooseView } from '../../../../src/catalog/view.ts';
import { LOCAL_ACCESS } from '../../../../src/http/access.ts';
import { VIEW_PAGE } from '../../../../src/mcp/views/page.ts';
import type { TypeNode } from '../../../../src/types/node.ts';
import { loadTree, type Served, SITE, serveTree, type Tree } from '../../call/project.ts';
import { legacy, MODERN, post } from '../fixture.ts';

const EXTENSIONS = {
  'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
};
const COLUMNS = `return: { type: array, items: { type: object, properties: { day: { type: string, format: date, title: Day }, total: { type: number } } } }`;

const treeOf = (view: string): Tree => ({
  'tools/days.yml': `tool:
  name: days
  title: Days </script>
  tags: [sales]
  ${view}
  parameters:
    - { name: limit, type: integer, default: 20, maximum: 1000 }
    - { name: offset, type: integer, default: 0 }
  ${COLUMNS}
  source: { code: "SELECT DATE '2026-01-01' + i::INT AS day, i * 1.5::DOUBLE AS total FROM range(1000000) t(i) LIMIT $limit OFFSET $offset" }
`,
  'tools/guarded.yml': `tool:
  name: guarded
  scopes: [sales]
  ${view}
  source: { code: SELECT 1 AS one }
`,
});

const toSorted = (directed: boolean) => `tool:
  name: days
  view: table
  parameters:
    - { name: sort, type: string, enum: [total, day], default: day }
    ${directed ? '- { name: descending, type: boolean, default: false }' : ''}
  source: { code: "SELECT 1 AS total WHERE $sort <> '${directed ? "' AND NOT $descending AND 'a' <> '" : ''}'" }
`;

let viewed: Served;
let plain: Served;

beforeAll(async () => {
  [viewed, plain] = await Promise.all([serveTree(treeOf('view: auto'), ''), serveTree(treeOf(''), '')]);
});
afterAll(() => Promise.all([viewed.close(), plain.close()]));

function appOf({ runtime: { ...runtime } }: Served) {
  // The hash names the project, which differs in `view`.
  const same = { ...runtime, catalog: { ...runtime.catalog, hash: '0123456789abcdef' } };
  return createApp({
    runtime: () => same,
    version: '1.2.3',
    stateless: false,
    log: runtime.log,
    access: LOCAL_ACCESS,
    authenticate: async () => ({ user: null, scopes: [] }),
  });
}

type Params = { readonly [key: string]: unknown };

/** A modern request of a client with some extensions. */
function modern(method: string, params: Params, extensions: object | null) {
  const meta = 'io.modelcontextprotocol';
  const envelope = {
    [`${meta}/protocolVersion`]: MODERN,
    [`${meta}/clientCapabilities`]: extensions === null ? {} : { extensions },
    [`${meta}/clientInfo`]: { name: 'test', version: '1' },
  };
  const named = params.name ?? params.uri;
  const headers: Record<string, string> = { 'mcp-protocol-version': MODERN, 'mcp-method': method };
  if (typeof named === 'string') headers['mcp-name'] = named;
  return { body: { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: envelope } }, headers };
}

const DAYS = { name: 'days', arguments: { limit: 1_000 } };
const REQUESTS: readonly (readonly [string, Params])[] = [
  ['server/discover', {}],
  ['tools/list', {}],
  ['tools/call', DAYS],
  ['tools/call', { name: 'days', arguments: {} }],
  ['resources/read', { uri: 'ui://svc-kit/days' }],
];

describe('a client without the extension', () => {
  // Requirements: view.unseen
  it.each(REQUESTS)('gets the same bytes with `view` as without: modern %s', async (method, params) => {
    for (const extensions of [null, {}, { 'io.modelcontextprotocol/ui': {} }]) {
      const { body, headers } = modern(method, params, extensions);
      const [one, other] = await Promise.all(
        [viewed, plain].map(async (served) => {
          const response = await appOf(served).fetch(post(body, headers));
          return { status: response.status, text: await response.text() };
        }),
      );
      expect(one).toEqual(other);
    }
  });

  // Requirements: view.unseen
  it('gets the same bytes with `view` as without: legacy, with and without a session', async () => {
    const answers = await Promise.all(
      [viewed, plain].map(async (served) => {
        const app = appOf(served);
        const begin = legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
        const begun = await app.fetch(post(begin.body));
        const session = begun.headers.get('mcp-session-id') ?? '';
        const texts = [await begun.text()];
        for (const [method, params] of REQUESTS.slice(1)) {
          const { body, headers } = legacy(method, params);
          for (const more of [{}, { 'mcp-session-id': session }]) {
            texts.push(await (await app.fetch(post(body, { ...headers, ...more }))).text());
          }
        }
        return texts;
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });
});

interface Answer {
  readonly result: {
    readonly _meta?: { readonly [key: string]: unknown };
    readonly tools: { name: string; _meta?: { ui?: { resourceUri?: string } } }[];
    readonly content: { text: string }[];
    readonly structuredContent: unknown;
    readonly contents: { text: string; mimeType: string; _meta: unknown }[];
    readonly capabilities: { resources?: object };
  };
  readonly error?: { readonly message: string };
}

async function ask(method: string, params: Params): Promise<Answer> {
  const { body, headers } = modern(method, params, EXTENSIONS);
  return (await appOf(viewed).fetch(post(body, headers))).json();
}

describe('a client with the extension', () => {
  // Requirements: view.page
  it('learns the page of each tool, and reads it', async () => {
    const { tools } = (await ask('tools/list', {})).result;
    const uris = tools.map(({ name, _meta }) => [name, _meta?.ui?.resourceUri]);
    expect(uris).toEqual([['days', 'ui://svc-kit/days']]);
    expect((await ask('server/discover', {})).result.capabilities.resources).toEqual({
      subscribe: true,
    });
    const { contents } = (await ask('resources/read', { uri: 'ui://svc-kit/days' })).result;
    expect(contents[0]).toMatchObject({
      mimeType: 'text/html;profile=mcp-app',
      _meta: { ui: { csp: {}, prefersBorder: true } },
    });
    const config = /id="config">(.*?)<\/script>/.exec(contents[0]?.text ?? '')?.[1] ?? '';
    expect(JSON.parse(config)).toEqual({
      tool: 'days',
      title: 'Days </script>',
      view: 'line',
      columns: { day: { type: 'string', title: 'Day', format: 'date' }, total: { type: 'number' } },
      pageSize: 20,
      sorts: [],
    });
  });

  // Requirements: view.rules
  it('does not read the page of a tool whose scopes its caller lacks', async () => {
    const { error } = await ask('resources/read', { uri: 'ui://svc-kit/guarded' });
    expect(error?.message).toContain('Unknown resource');
  });

  // Requirements: view.tokens
  it('sends the model under 400 tokens, and all rows to the view', async () => {
    const { content, structuredContent } = (await ask('tools/call', DAYS)).result;
    expect(structuredContent).toHaveLength(1_000);
    expect(JSON.stringify(content).length / 4).toBeLessThan(400);
    expect(content[0]?.text).toContain('1,000 rows, 2 columns.');
    expect(content[0]?.text).toContain('day: 2026-01-01 to 2028-09-26');
  });

  it('declares it in `initialize` of a session', async () => {
    const app = appOf(viewed);
    const capabilities = { extensions: EXTENSIONS };
    const begin = legacy('initialize', { protocolVersion: '2025-11-25', capabilities });
    const begun = await app.fetch(post(begin.body));
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const { body, headers } = legacy('tools/list');
    const { result }: Answer = await (await app.fetch(post(body, { ...headers, ...session }))).json();
    expect(result.tools[0]?._meta?.ui?.resourceUri).toBe('ui://svc-kit/days');
  });
});

describe('a legacy client of a server without sessions', () => {
  const appOfStateless = ({ runtime }: Served) =>
    createApp({
      runtime: () => runtime,
      version: '1.2.3',
      stateless: true,
      log: runtime.log,
      access: LOCAL_ACCESS,
    });

  /** Begins as a client that declares extensions, and returns the id that it was given. */
  async function begin(served: Served, extensions: object) {
    const { body } = legacy('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { extensions },
    });
    const begun = await appOfStateless(served).fetch(post(body));
    const { result }: Answer = await begun.json();
    return { id: begun.headers.get('mcp-session-id'), capabilities: result.capabilities };
  }

  async function firstTool(headers: Record<string, string>) {
    const { body, headers: own } = legacy('tools/list');
    const { result }: Answer = await (
      await appOfStateless(viewed).fetch(post(body, { ...own, ...headers }))
    ).json();
    return result.tools.find(({ name }) => name === 'days');
  }

  // Requirements: view.stateless
  it('gets a mark when it declares views, and sends it with each request, to any instance', async () => {
    const { id, capabilities } = await begin(viewed, EXTENSIONS);
    expect(id).toMatch(/^svc-views-[\da-f-]{36}$/);
    expect((await begin(viewed, EXTENSIONS)).id).not.toBe(id);
    expect(capabilities.resources).toEqual({});
    const marked = { 'mcp-session-id': String(id) };
    expect((await firstTool(marked))?._meta?.ui).toEqual({ resourceUri: 'ui://svc-kit/days' });
    const { body, headers } = legacy('tools/call', DAYS);
    const called = await appOfStateless(viewed).fetch(post(body, { ...headers, ...marked }));
    const { content, structuredContent } = ((await called.json()) as Answer).result;
    expect(content[0]?.text).toContain('The user sees the result in a view.');
    expect((structuredContent as { result: unknown[] }).result).toHaveLength(1_000);
  });

  // Requirements: view.stateless, view.unseen
  it('gets no mark without views, of the client or of the server, and another id says nothing', async () => {
    expect((await begin(viewed, {})).id).toBeNull();
    expect((await begin(plain, EXTENSIONS)).id).toBeNull();
    for (const headers of [{}, { 'mcp-session-id': crypto.randomUUID() }]) {
      expect(await firstTool(headers)).toMatchObject({ _meta: { 'svc-kit/tags': ['sales'] } });
      expect(await firstTool(headers)).not.toHaveProperty('_meta.ui');
    }
  });
});

// Requirements: modern.caching.private
it.each(['tools/list', 'server/discover'])(
  'keeps what only clients with views get out of shared caches: %s',
  async (method) => {
    const app = createApp({
      runtime: () => viewed.runtime,
      version: '1.2.3',
      stateless: true,
      log: viewed.runtime.log,
      access: LOCAL_ACCESS,
    });
    const scopes = [EXTENSIONS, null, EXTENSIONS].map(async (extensions) => {
      const { body, headers } = modern(method, {}, extensions);
      return (await (await app.fetch(post(body, headers))).json()).result.cacheScope;
    });
    expect(await Promise.all(scopes)).toEqual(['private', 'public', 'private']);
  },
);

describe('the order of columns', () => {
  const toTool = (code: string, more = '') => ({
    'tools/days.yml': `tool: { name: days, view: bar, ${more} source: { code: ${JSON.stringify(code)} } }\n`,
  });
  const FILTER = `policies: { output: [{ condition: 'true', action: filter_fields, fields: ['2023'] }] },`;

  // Requirements: view.kinds, view.rules
  it.each([
    [
      'is known to the view if objects cannot keep it',
      `SELECT 'EU' AS region, 1 AS "2024", 2 AS "2023"`,
      '',
      ['region', '2024', '2023'],
    ],
    ['is that of the keys otherwise', `SELECT 1 AS "2023", 2 AS "2024", 'EU' AS region`, '', undefined],
    ['names no column that a policy hides', `SELECT 'EU' AS region, 1 AS "2023"`, FILTER, undefined],
  ])('%s', async (_, code, more, columns) => {
    const served = await serveTree(toTool(code, more), '');
    const { body, headers } = modern('tools/call', { name: 'days', arguments: {} }, EXTENSIONS);
    const { result }: Answer = await (await appOf(served).fetch(post(body, headers))).json();
    expect(result._meta?.['svc-kit/columns']).toEqual(columns);
    await served.close();
  });
});

describe('a value that is no table', () => {
  // Requirements: view.tokens
  it.each([
    ['a text', 'string', "SELECT repeat('é', 5000) AS t", 'The first 1,000 of 5,000 characters:\n'],
    ['a short text', 'string', "SELECT 'short' AS t", 'short\n'],
  ])('reaches the model within 400 tokens: %s', async (_, type, code, start) => {
    const served = await serveTree(
      {
        'tools/days.yml': `tool: { name: days, view: table, return: { type: ${type} }, source: { code: "${code}" } }\n`,
      },
      '',
    );
    const { body, headers } = modern('tools/call', { name: 'days', arguments: {} }, EXTENSIONS);
    const { result }: Answer = await (await appOf(served).fetch(post(body, headers))).json();
    expect(JSON.stringify(result.content).length / 4).toBeLessThan(400);
    expect(result.content[0]?.text.startsWith(start)).toBe(true);
    await served.close();
  });
});

describe('the columns by which a tool sorts', () => {
  // Requirements: view.sort
  it.each([
    ['both parameters', true, ['total', 'day']],
    ['no direction', false, []],
  ])('are known to the page with %s', async (_, directed, sorts) => {
    const sorted = await serveTree({ 'tools/days.yml': toSorted(directed) }, '');
    const { body, headers } = modern('resources/read', { uri: 'ui://svc-kit/days' }, EXTENSIONS);
    const { result }: Answer = await (await appOf(sorted).fetch(post(body, headers))).json();
    const config = /id="config">(.*?)<\/script>/.exec(result.contents[0]?.text ?? '')?.[1] ?? '';
    expect(JSON.parse(config)).toMatchObject({ sorts });
    await sorted.close();
  });
});

describe('the page', () => {
  it('is what `node scripts/views/write.ts` writes from views/', async () => {
    expect(readFileSync(VIEW_PAGE_FILE, 'utf8')).toBe(await toPageModule());
  });

  // Requirements: view.page
  it('has at most 60 kB, and names nothing that it would load', () => {
    expect(new TextEncoder().encode(VIEW_PAGE).length).toBeLessThan(60_000);
    expect(VIEW_PAGE).not.toMatch(/\b(src|href)=|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|import\(/);
    const addresses = VIEW_PAGE.match(/https?:[^'"`\s)]+/g) ?? [];
    // The name of SVG is no address.
    expect([...new Set(addresses)]).toEqual(['http://www.w3.org/2000/svg']);
  });
});

const rowsOf = (properties: { readonly [name: string]: TypeNode }): TypeNode => ({
  type: 'array',
  items: { type: 'object', properties },
});
const NUMBER: TypeNode = { type: 'number' };
const TEXT: TypeNode = { type: 'string' };
const DAY: TypeNode = { type: 'string', format: 'date' };

describe('view: auto', () => {
  // Requirements: view.kinds
  it.each([
    ['table', null],
    ['number', NUMBER],
    ['number', { type: 'object', properties: { a: NUMBER, b: NUMBER } } satisfies TypeNode],
    ['line', rowsOf({ day: DAY, total: NUMBER })],
    ['bar', rowsOf({ shop: TEXT, total: NUMBER, cost: NUMBER })],
    ['scatter', rowsOf({ a: NUMBER, b: NUMBER })],
    ['map', rowsOf({ name: TEXT, lat: NUMBER, lon: NUMBER })],
    ['table', rowsOf({ name: TEXT, city: TEXT, total: NUMBER })],
  ] as const)('is %s for %j', (view, returns) => {
    expect(chooseView(returns)).toBe(view);
  });
});

// Requirements: view.unseen
it('sends the same bytes with `view` as without if clients search for tools, which lists no views', async () => {
  const site = `${SITE}tool_search: true\n`;
  const searched = await Promise.all(
    ['view: auto', ''].map((view) => serveTree({ 'svc-site.yml': site, ...treeOf(view) }, '')),
  );
  const calls: typeof REQUESTS = [...REQUESTS, ['tools/call', { name: 'call', arguments: DAYS }]];
  for (const [method, params] of calls) {
    const { body, headers } = modern(method, params, EXTENSIONS);
    const [one, other] = await Promise.all(
      searched.map(async (served) => (await appOf(served).fetch(post(body, headers))).text()),
    );
    expect(one).toBe(other);
  }
  await Promise.all(searched.map((served) => served.close()));
});

// Requirements: view.kinds
it.each([
  ['view: map', rowsOf({ name: TEXT, total: NUMBER }), 'needs the columns `latitude`'],
  ['view: line', rowsOf({ day: DAY, name: TEXT }), 'needs a column of numbers'],
  ['view: bar', NUMBER, 'needs a `return` of type array'],
  ['view: number', TEXT, 'needs a number'],
  ['view: table\n  content: rows', rowsOf({}), 'needs a value or rows'],
])('%s does not fit %j', async (key, returns, message) => {
  const text = `tool:\n  name: bad\n  ${key}\n  return: ${JSON.stringify(returns)}\n  source: { code: SELECT 1 AS a }\n`;
  const project = await loadTree({ 'tools/bad.yml': text });
  const findings = [...project.findings, ...(await checkCatalog(project))];
  expect(findings.map((finding) => finding.message).join('\n')).toContain(message);
});
