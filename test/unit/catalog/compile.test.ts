import { describe, expect, it } from 'vitest';
import { openProjectFiles } from '../../../adapters/node/project/project-files.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import { hashCatalog } from '../../../src/catalog/hash.ts';
import { SvcError } from '../../../src/errors.ts';
import { loadProject } from '../../../src/project/load.ts';
import { load, type Tree } from '../project/memory.ts';

const ROOT = 'test/fixtures/projects/full';
const SIMPLE: Tree = {
  'tools/b.yml': 'tool: { name: b, source: { code: SELECT 1 } }',
  'tools/a.yml':
    'tool: { name: a, parameters: [{ name: x, type: integer }], source: { code: "SELECT $x, $x" } }',
};

const full = async () => compileCatalog(await loadProject(await openProjectFiles(ROOT), ROOT));

describe('compiling', () => {
  // Requirements: endpoint.enabled
  it('gives every kind its entries, by name, without what is disabled', async () => {
    const catalog = await full();
    expect(catalog.project).toBe('full');
    expect(Object.keys(catalog.tools)).toEqual([
      'add_note',
      'chart',
      'execute_sql_query',
      'get_table_schema',
      'list_tables',
      'top_products',
    ]);
    expect(Object.keys(catalog.resources)).toEqual(['shop://customers/{id}/orders/{year}', 'shop://terms']);
    expect(Object.keys(catalog.prompts)).toEqual(['review']);
    expect(catalog.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('gives clients defaults and examples of their types', async () => {
    const { tools } = await compileCatalog(
      await load({
        'tools/a.yml': `tool:
  name: a
  parameters:
    - { name: on, type: boolean, default: 1, examples: ["false"] }
    - { name: ids, type: array, items: { type: integer, default: "2" }, default: "[1]" }
  ask: [{ name: q, message: Which?, fields: [{ name: deep, type: boolean, default: 0 }], otherwise: skip }]
  return: { type: object, properties: { n: { type: integer, examples: ["3"] } } }
  source: { code: "SELECT $on AS n, $ids AS i, $deep AS d" }
`,
      }),
    );
    expect(tools.a?.wire).toMatchObject({
      inputSchema: {
        properties: {
          on: { default: true, examples: [false] },
          ids: { items: { default: 2 }, default: [1] },
        },
      },
      outputSchema: { properties: { n: { examples: [3] } } },
    });
    expect(tools.a?.ask).toMatchObject([[{ fields: [{ name: 'deep', default: false }] }]]);
  });

  it("rewrites parameters to positions and keeps the author's bounds", async () => {
    const { tools } = await full();
    expect(tools.top_products).toMatchObject({
      source: {
        sql: expect.stringContaining('month = $1 AND ($2 IS NULL OR region = $2)'),
        order: ['month', 'region', 'filters', 'limit'],
        mode: 'read',
        operation: 'SELECT',
      },
      limits: { rows: 50, bytes: 65_536, timeoutMs: 2_500 },
      scopes: ['sales.read', 'products.read'],
      confirm: { question: 'Read the sales figures?', otherwise: 'deny' },
    });
    expect(tools.add_note).toMatchObject({
      source: { mode: 'write', operation: 'INSERT' },
      limits: { rows: 10_000, bytes: 4_194_304, timeoutMs: 30_000 },
    });
    expect(tools.add_note).not.toHaveProperty('scopes');
  });

  // Requirements: endpoint.description, mcp.tool.annotations
  it('shows tools as MCP lists them', async () => {
    const { tools } = await full();
    expect(tools.top_products?.wire).toMatchObject({
      name: 'top_products',
      title: 'Top products',
      description: 'The best-selling products of a month',
      inputSchema: {
        type: 'object',
        required: ['month'],
        properties: {
          month: { description: 'Month, such as 2026-03' },
          limit: { type: 'integer', description: 'How many', default: 5, minimum: 1, maximum: 50 },
          region: { enum: ['north', 'south', null] },
        },
      },
      outputSchema: { type: 'array', items: { required: ['product'] } },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false, title: 'Top products' },
      icons: [{ src: 'https://example.com/top.png', mimeType: 'image/png' }],
      _meta: { 'svc-kit/tags': ['sales', 'products'] },
    });
    expect(tools.add_note?.wire).toEqual({
      name: 'add_note',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false },
    });
    expect(JSON.stringify(tools.top_products?.wire)).not.toContain('tier');
  });

  // Requirements: endpoint.description
  it('shows resources and prompts as MCP lists them', async () => {
    const { resources, prompts } = await full();
    expect(resources['shop://terms']).toMatchObject({
      template: { literals: ['shop://terms'], variables: [] },
      mimeType: 'text/plain',
      wire: {
        uri: 'shop://terms',
        name: 'shop://terms',
        description: 'The terms of trade',
        mimeType: 'text/plain',
      },
    });
    expect(resources['shop://customers/{id}/orders/{year}']).toMatchObject({
      template: { literals: ['shop://customers/', '/orders/', ''], variables: ['id', 'year'] },
      wire: {
        uriTemplate: 'shop://customers/{id}/orders/{year}',
        name: 'Orders of a customer',
        description: 'What a customer ordered in a year',
        mimeType: 'application/json',
      },
    });
    expect(prompts.review).toMatchObject({
      messages: [{ role: 'system' }, { role: 'user' }, { role: 'assistant', type: 'resource' }],
      wire: {
        name: 'review',
        title: 'Review a product',
        arguments: [
          { name: 'product', description: 'What to review', required: true },
          { name: 'tone', description: 'How', required: false },
        ],
      },
    });
  });

  it('gives the same bytes for the same project, in whatever order its files come', async () => {
    const [one, other] = await Promise.all([
      load(SIMPLE),
      load(Object.fromEntries(Object.entries(SIMPLE).reverse())),
    ]);
    const catalog = await compileCatalog(one);
    expect(JSON.stringify(await compileCatalog(other))).toBe(JSON.stringify(catalog));
    const moved = await load({
      'tools/z.yml': SIMPLE['tools/a.yml'] ?? '',
      'tools/y/b.yaml': SIMPLE['tools/b.yml'] ?? '',
    });
    expect(JSON.stringify(await compileCatalog(moved))).toBe(JSON.stringify(catalog));
  });

  it('has another hash as soon as anything is another', async () => {
    const hashOf = async (tree: Tree) => (await compileCatalog(await load(tree))).hash;
    const hashes = await Promise.all([
      hashOf(SIMPLE),
      hashOf({ ...SIMPLE, 'tools/b.yml': 'tool: { name: b, source: { code: SELECT 2 } }' }),
      hashOf({
        ...SIMPLE,
        'tools/b.yml': 'tool: { name: b, source: { code: SELECT 1 }, limits: { rows: 9 } }',
      }),
      hashOf({ ...SIMPLE, 'svc-site.yml': 'svc: 1\nproject: other\nprofile: default\n' }),
    ]);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('cannot be changed afterwards', async () => {
    const catalog = await compileCatalog(await load(SIMPLE));
    const limits = catalog.tools.a?.limits as { rows: number };
    expect(() => {
      limits.rows = 1;
    }).toThrow(TypeError);
    expect(Object.isFrozen(catalog.tools.a?.wire.inputSchema)).toBe(true);
  });

  it('refuses a project with errors and says all of them', async () => {
    const project = await load({
      ...SIMPLE,
      'tools/c.yml': 'tool: { name: c, source: { code: SELECT $x } }',
      'tools/d.yml': 'tool: { nam: d, source: { code: SELECT 1 } }',
    });
    const thrown: unknown = await compileCatalog(project).catch((error) => error);
    expect(thrown).toBeInstanceOf(SvcError);
    const { code, message, detail } = thrown as SvcError;
    expect(code).toBe('project_invalid');
    expect(message).toMatch(/tools\/c\.yml:1:41: The SQL uses \$x.*/);
    expect(detail).toMatchObject({
      findings: [
        { file: 'tools/d.yml', code: 'missing-field' },
        { file: 'tools/d.yml', code: 'unknown-key' },
        { file: 'tools/c.yml', code: 'sql-undeclared' },
      ],
    });
  });

  it('lets names be what every object has', async () => {
    const project = await load({ 'tools/a.yml': 'tool: { name: constructor, source: { code: SELECT 1 } }' });
    const catalog = await compileCatalog(project);
    expect(Object.keys(catalog.tools)).toEqual(['constructor']);
    expect(JSON.parse(JSON.stringify(catalog))).toEqual(catalog);
  });
});

describe('the hash of a catalog', () => {
  it('is that of the catalog read back, in any order of keys', async () => {
    const { tools, ...rest } = JSON.parse(JSON.stringify(await full()));
    expect(await hashCatalog({ tools, ...rest })).toBe(rest.hash);
  });

  it.each<[string, (text: string) => string]>([
    ['a limit', (text) => text.replace('"rows":50', '"rows":51')],
    ['SQL', (text) => text.replace('INSERT INTO notes', 'INSERT INTO moats')],
    ['a policy', (text) => text.replace(/\{"condition":"user.role == 'guest'.*?\}/, '')],
  ])('changes with %s', async (_, change) => {
    const catalog = await full();
    const text = JSON.stringify(catalog);
    expect(change(text)).not.toBe(text);
    expect(await hashCatalog(JSON.parse(change(text)))).not.toBe(catalog.hash);
  });
});
