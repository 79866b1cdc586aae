import { expect, test } from 'vitest';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import { findResource } from '../../../src/catalog/find.ts';
import type { Catalog } from '../../../src/catalog/model.ts';
import { loadTree, SITE } from '../call/project.ts';

const resource = (uri: string, ...names: string[]) =>
  `resource:\n  uri: ${uri}\n  parameters: [${names.map((name) => `{ name: ${name}, type: string }`).join(', ')}]\n  source: { code: "SELECT ${['1', ...names.map((name) => `$${name}`)].join(', ')}" }\n`;

function catalogOf(): Promise<Catalog> {
  return loadTree({
    'svc-site.yml': `${SITE}sql_tools: { enabled: true }\ntool_search: true\n`,
    'resources/a.yml': resource('a://x/{one}', 'one'),
    'resources/b.yml': resource('a://x/special-{one}', 'one'),
    'resources/c.yml': resource('a://x/special-case'),
    'resources/d.yml': resource('a://x/{one}/y/{two}', 'one', 'two'),
    'tools/wipe.yml':
      'tool:\n  name: wipe\n  confirm: Really?\n  mime_type: image/png\n  source: { code: SELECT 1 }\n',
    'prompts/hi.yml': 'prompt:\n  name: hi\n  messages: [{ prompt: Hi. }]\n',
  }).then(compileCatalog);
}

test.each([
  ['a://x/special-case', 'a://x/special-case', {}],
  ['a://x/special-1', 'a://x/special-{one}', { one: '1' }],
  ['a://x/other', 'a://x/{one}', { one: 'other' }],
  ['a://x/p%2Fq/y/%E6%9D%B1', 'a://x/{one}/y/{two}', { one: 'p/q', two: '東' }],
])('%s is the resource that says the most of it, %s', async (uri, template, values) => {
  const found = findResource(await catalogOf(), uri);
  expect(found?.entry.uri).toBe(template);
  expect(found?.values).toEqual(values);
});

test('a placeholder whose parameter has a default may be empty', async () => {
  const catalog = await loadTree({
    'resources/a.yml':
      'resource:\n  uri: a://x/{one}\n  parameters: [{ name: one, type: string, default: all }]\n  source: { code: SELECT $one }\n',
    'resources/b.yml': resource('a://y/{one}', 'one'),
  }).then(compileCatalog);
  expect(findResource(catalog, 'a://x/')).toMatchObject({ entry: { uri: 'a://x/{one}' }, values: {} });
  expect(findResource(catalog, 'a://x/1')?.values).toEqual({ one: '1' });
  expect(findResource(catalog, 'a://y/')).toBeNull();
});

test.each(['a://x/', 'a://x/{one}', 'b://x/1', 'A://x/1', 'a://x/1/', 'a://x/1/2', '__proto__', 'a://x/%'])(
  '%s is none, or one by its letters only',
  async (uri) => {
    const found = findResource(await catalogOf(), uri);
    expect(found === null || found.values.one === '{one}').toBe(true);
  },
);

test('noise finds nothing, or values that make the URI again', async () => {
  const catalog = await catalogOf();
  const pieces = [
    'a://',
    'x',
    '/',
    'special-',
    'case',
    'y',
    '%2F',
    '%',
    '%E6',
    '?',
    '#',
    '{one}',
    '東',
    '\u0000',
  ];
  let seed = 7;
  const next = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % limit;
  };
  for (let round = 0; round < 5_000; round += 1) {
    const tail = Array.from({ length: next(8) }, () => pieces[next(pieces.length)]).join('');
    const found = findResource(catalog, `a://x/${tail}`);
    if (found === null) continue;
    const { literals, variables } = found.entry.template;
    const made = literals.map((text, at) => {
      const value = found.values[variables[at] ?? ''];
      return value === undefined ? text : text + encodeURIComponent(value);
    });
    expect(decodeURIComponent(made.join(''))).toBe(decodeURIComponent(`a://x/${tail}`));
  }
});

test('a catalog with everything in it survives its manifest', async () => {
  const catalog = await catalogOf();
  const read: Catalog = JSON.parse(JSON.stringify(catalog));
  expect(read).toEqual(catalog);
  expect(read.tools.wipe).toMatchObject({ confirm: { question: 'Really?' }, mimeType: 'image/png' });
  expect(read.tools.execute_sql_query?.source).toMatchObject({ statement: 'sql' });
  expect(findResource(read, 'a://x/1')?.values).toEqual({ one: '1' });
});
