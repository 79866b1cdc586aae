import { describe, expect, it } from 'vitest';
import { openProjectFiles } from '../../../adapters/node/project/project-files.ts';
import { loadProject } from '../../../src/project/load.ts';
import type { Endpoint } from '../../../src/project/model.ts';
import { load, SITE, short } from './memory.ts';

const ROOT = 'test/fixtures/projects/full';
const TOOL = (name: string, more = '') => `tool:\n  name: ${name}\n${more}  source: { code: SELECT 1 }\n`;

async function endpointsOf(): Promise<ReadonlyMap<string, Endpoint>> {
  const { endpoints } = await loadProject(await openProjectFiles(ROOT), ROOT);
  return new Map(endpoints.flatMap(({ endpoint }) => (endpoint ? [[endpoint.name, endpoint]] : [])));
}

describe('a project with everything in it', () => {
  // Requirements: service.2
  it('loads without a finding, in the order of paths', async () => {
    const project = await loadProject(await openProjectFiles(ROOT), ROOT);
    expect(project.findings).toEqual([]);
    expect(project.root).toBe(ROOT);
    expect(project.endpoints.map(({ file, kind }) => `${kind} ${file}`)).toEqual([
      'prompt prompts/review.yml',
      'resource resources/customer.yml',
      'resource resources/terms.yml',
      'tool tools/add_note.yaml',
      'tool tools/chart.yml',
      'tool tools/draft.yml',
      'tool tools/sales/top_products.yml',
    ]);
  });

  it('keeps every field of a tool', async () => {
    const tool = (await endpointsOf()).get('top_products');
    expect(tool).toMatchObject({
      kind: 'tool',
      file: 'tools/sales/top_products.yml',
      title: 'Top products',
      tags: ['sales', 'products'],
      icons: [
        { src: 'https://example.com/top.png', mimeType: 'image/png', sizes: ['48x48', 'any'], theme: 'dark' },
      ],
      annotations: { title: 'Top products', idempotentHint: true, openWorldHint: false },
      enabled: true,
      scopes: ['sales.read', 'products.read'],
      confirm: { question: 'Read the sales figures?', otherwise: 'deny' },
      ask: [],
      mimeType: null,
      content: 'value',
      limits: { rows: 50, bytes: 65_536, timeout: 2.5 },
      metadata: { owner: 'sales', tier: 2 },
      source: { language: 'sql', file: 'sql/top_products.sql', text: expect.stringContaining('$limit') },
      policies: {
        input: [
          {
            condition: "user.role == 'guest' && limit > 10",
            action: 'deny',
            reason: 'Guests see ten products at most',
          },
        ],
        output: [{ condition: "user.role != 'admin'", action: 'filter_sensitive_fields' }],
      },
      returns: { type: 'array', items: { type: 'object', required: ['product'] } },
    });
    expect(tool?.parameters[2]).toEqual({
      name: 'region',
      type: 'string',
      description: 'Where',
      enum: ['north', 'south', null],
      default: null,
    });
  });

  // Requirements: endpoint.tests
  it('keeps every assertion of a test, and the difference between null and nothing', async () => {
    const [all, denied, nothing] = (await endpointsOf()).get('top_products')?.tests ?? [];
    expect(all).toEqual({
      name: 'the teapot leads',
      description: 'in March',
      arguments: [
        { key: 'month', value: '2026-03' },
        { key: 'limit', value: 1 },
      ],
      user_context: { role: 'admin', permissions: ['sales'] },
      result: [{ product: 'Teapot', revenue: 74.9 }],
      result_contains: { product: 'Teapot' },
      result_not_contains: ['secret'],
      result_contains_item: { product: 'Teapot' },
      result_contains_all: [{ product: 'Teapot' }],
      result_length: 1,
      result_contains_text: 'Teapot',
    });
    expect(denied).toMatchObject({ denied: true, error_contains: 'ten products' });
    expect(denied).not.toHaveProperty('result');
    expect(nothing).toHaveProperty('result', null);
  });

  it('fills in what is left out', async () => {
    expect((await endpointsOf()).get('add_note')).toEqual({
      kind: 'tool',
      name: 'add_note',
      file: 'tools/add_note.yaml',
      tags: [],
      icons: [],
      annotations: {},
      enabled: true,
      confirm: null,
      ask: [],
      mimeType: null,
      format: null,
      largeResult: null,
      view: null,
      content: 'value',
      scopes: [],
      limits: {},
      metadata: {},
      parameters: [{ name: 'text', type: 'string' }],
      returns: null,
      policies: { input: [], output: [] },
      tests: [],
      source: {
        language: 'sql',
        text: 'INSERT INTO notes VALUES ($text)',
        file: null,
        line: 4,
        column: 19,
        verbatim: true,
      },
    });
  });

  it('keeps resources, prompts and what is disabled', async () => {
    const endpoints = await endpointsOf();
    expect(endpoints.get('Orders of a customer')).toMatchObject({
      kind: 'resource',
      uri: 'shop://customers/{id}/orders/{year}',
      mimeType: 'application/json',
      source: { file: 'sql/orders.sql' },
    });
    expect(endpoints.get('shop://terms')).toMatchObject({
      mimeType: null,
      source: { line: 8, column: 7, verbatim: true, text: 'SELECT text\nFROM terms\n' },
    });
    expect(endpoints.get('review')).toMatchObject({
      kind: 'prompt',
      messages: [
        { role: 'system', type: 'text' },
        { role: 'user', type: 'text' },
        { role: 'assistant', type: 'resource' },
      ],
    });
    expect(endpoints.get('draft')).toMatchObject({ enabled: false });
  });
});

describe('which files are read', () => {
  // Requirements: service.3
  it('takes .yml and .yaml below the folders, not what tools leave behind', async () => {
    const { endpoints } = await load({
      'tools/a.yml': TOOL('a'),
      'tools/deep/er/b.YAML': TOOL('b'),
      'tools/.#a.yml': 'x',
      'tools/.git/c.yml': 'x',
      'tools/query.sql': 'x',
      'tools/notes.yml.bak': 'x',
      'resources/c.yml': 'resource:\n  uri: a://b\n  source: { code: SELECT 1 }\n',
      'prompts/d.yml': 'prompt:\n  name: d\n  messages: [{ prompt: hi }]\n',
      'other/e.yml': TOOL('e'),
      'f.yml': TOOL('f'),
    });
    expect(endpoints.map(({ file }) => file)).toEqual([
      'prompts/d.yml',
      'resources/c.yml',
      'tools/a.yml',
      'tools/deep/er/b.YAML',
    ]);
  });

  // Requirements: service.3
  it('takes them from the folders that `paths` names instead', async () => {
    const { endpoints } = await load({
      'svc-site.yml': `${SITE}paths: { tools: other }\n`,
      'tools/a.yml': TOOL('a'),
      'other/e.yml': TOOL('e'),
    });
    expect(endpoints.map(({ file }) => file)).toEqual(['other/e.yml']);
  });

  it('follows `paths`, and lets kinds share a folder', async () => {
    const site = `${SITE}paths: { tools: ./api/, prompts: api }\n`;
    const { endpoints, findings } = await load({
      'svc-site.yml': site,
      'api/a.yml': TOOL('a'),
      'api/b.yml': 'prompt: { name: b, messages: [{ prompt: hi }] }',
      'api/c.yml': 'resource: { uri: "x://c", source: { code: SELECT 1 } }',
      'tools/d.yml': 'x',
    });
    expect(endpoints.map(({ file, kind }) => `${kind} ${file}`)).toEqual([
      'tool api/a.yml',
      'prompt api/b.yml',
      'tool api/c.yml',
    ]);
    expect(findings.map(short)).toEqual([
      '1:1 misplaced: `resource` is in a folder for tools and prompts. Move the file to the folder for resources.',
    ]);
  });

  it('warns of a folder that is named and not there, and takes none for none', async () => {
    const { findings } = await load({ 'svc-site.yml': `${SITE}paths: { tools: tolls, sql: x }\n` });
    expect(findings.map((finding) => [finding.severity, short(finding)])).toEqual([
      [
        'warning',
        '4:17 folder-empty: There is no .yml file below tolls. Correct the path, or remove the key.',
      ],
    ]);
    expect((await load({})).findings).toEqual([]);
  });

  it('warns of a folder in the singular, from which nothing is read', async () => {
    const misnamed = (name: string) =>
      `1:1 folder-empty: There are no ${name}s: svc reads ${name}s/, and the files are in ${name}/. Rename the folder to ${name}s, or set \`paths: { ${name}s: ${name} }\` in svc-site.yml.`;
    const { findings } = await load({
      'tool/a.yml': TOOL('a'),
      'resource/notes.txt': 'x',
      'prompt/b.yml': 'prompt: { name: b, messages: [{ prompt: hi }] }',
      'skill/ask.md': '---\nname: ask\ndescription: Ask\n---\n# Ask',
    });
    expect(findings.map(short).toSorted()).toEqual(['prompt', 'skill', 'tool'].map(misnamed));
    expect(findings.every(({ severity }) => severity === 'warning')).toBe(true);
    const both = await load({ 'tool/a.yml': TOOL('a'), 'tools/b.yml': TOOL('b') });
    expect(both.findings).toEqual([]);
    // Folders of other tools have such names too.
    const others = await load({
      'tool/config.yml': 'a: { tool: 1 }',
      'skill/notes.md': '# description: none',
    });
    expect(others.findings).toEqual([]);
  });

  it('reads a project whose folder is the root itself', async () => {
    const site = `${SITE}paths: { tools: ., prompts: .api/p }\n`;
    const { endpoints, findings } = await load({
      'svc-site.yml': site,
      'a.yml': TOOL('a'),
      '.api/p/b.yml': 'prompt: { name: b, messages: [{ prompt: hi }] }',
    });
    expect(findings).toEqual([]);
    expect(endpoints.map(({ file }) => file)).toEqual(['.api/p/b.yml', 'a.yml']);
  });

  it('is not stopped by a broken site file', async () => {
    const { site, endpoints, findings } = await load({
      'svc-site.yml': 'svc: 1\n',
      'tools/a.yml': TOOL('a'),
    });
    expect(site).toBeNull();
    expect(endpoints).toHaveLength(1);
    expect(findings.map(({ file }) => file)).toEqual(['svc-site.yml', 'svc-site.yml']);
  });
});

describe('duplicate names', () => {
  // Requirements: endpoint.name
  it('are found on every file, across kinds', async () => {
    const { findings } = await load({
      'tools/a.yml': TOOL('same'),
      'tools/b.yml': TOOL('same'),
      'prompts/c.yml': 'prompt:\n  messages: [{ prompt: hi }]\n  name: same\n',
      'tools/d.yml': TOOL('same', '  enabled: false\n'),
    });
    expect(findings.map((finding) => `${finding.file}:${short(finding)}`)).toEqual([
      'prompts/c.yml:3:9 duplicate-name: The name same is not unique: tools/a.yml, tools/b.yml have it too. Rename one of them, or set `enabled: false` for it.',
      'tools/a.yml:2:9 duplicate-name: The name same is not unique: prompts/c.yml, tools/b.yml have it too. Rename one of them, or set `enabled: false` for it.',
      'tools/b.yml:2:9 duplicate-name: The name same is not unique: prompts/c.yml, tools/a.yml have it too. Rename one of them, or set `enabled: false` for it.',
    ]);
  });

  it('are told with a few of the others, however many there are', async () => {
    const { findings } = await load(
      Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`tools/${at}.yml`, TOOL('same')])),
    );
    expect(findings).toHaveLength(9);
    expect(findings[0]?.message).toBe(
      'The name same is not unique: tools/1.yml, tools/2.yml, tools/3.yml, tools/4.yml, tools/5.yml and 3 more have it too.',
    );
    expect(findings[8]?.message).toContain('tools/4.yml and 3 more have it too.');
  });

  it('are templates that match the same URIs, whatever their placeholders are called', async () => {
    const resource = (name: string) =>
      `resource:\n  uri: shop://c/{${name}}\n  parameters: [{ name: ${name}, type: string }]\n  source: { code: SELECT $${name} }\n`;
    const { findings } = await load({
      'resources/a.yml': resource('id'),
      'resources/b.yml': resource('key'),
    });
    expect(findings.map(({ file, code, line }) => [file, code, line])).toEqual([
      ['resources/a.yml', 'duplicate-name', 2],
      ['resources/b.yml', 'duplicate-name', 2],
    ]);
  });
});

describe('a disabled endpoint', () => {
  it('stops nobody: what is wrong with it is a warning', async () => {
    const { findings } = await load({ 'tools/a.yml': 'tool:\n  name: a\n  enabled: false\n' });
    expect(findings).toMatchObject([{ severity: 'warning', code: 'missing-field' }]);
  });
});
