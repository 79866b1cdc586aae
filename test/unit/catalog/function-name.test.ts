import { expect, it } from 'vitest';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import { functionNameOf } from '../../../src/catalog/function-name.ts';
import { loadTree } from '../call/project.ts';

it.each([
  [{ name: 'total' }, 'total'],
  [{ name: 'top-products.v2' }, 'top_products_v2'],
  [{ name: '_private' }, '_private'],
  [{ name: 'of_' }, 'of_'],
  [{ name: 'import' }, 'import_'],
  [{ name: '2nd' }, '_2nd'],
  [{ name: 'größe' }, 'größe'],
  [{ name: 'card', uri: 'shop://customers/{id}' }, 'card'],
  [{ name: 'shop://customers/{id}', uri: 'shop://customers/{id}' }, 'shop_customers'],
  [{ name: 'shop://customers/{id}/orders', uri: 'shop://customers/{id}/orders' }, 'shop_customers_orders'],
])('the function of %j is %s', (endpoint, name) => {
  expect(functionNameOf(endpoint)).toBe(name);
});

it('an endpoint in Python is compiled to its file and function, and survives its manifest', async () => {
  const project = await loadTree({
    'tools/total.yml': 'tool:\n  name: total\n  source: { file: ../python/total.py }\n',
    'tools/reads.yml':
      'tool:\n  name: reads\n  annotations: { readOnlyHint: true }\n  language: python\n  source: { file: ../python/total.py }\n',
    'resources/item.yml': 'resource:\n  uri: shop://item\n  source: { file: ../python/total.py }\n',
    'python/total.py': 'def total(): return 1\n',
  });
  const catalog = await compileCatalog(project);
  const { hash } = catalog.tools.total?.source ?? {};
  const source = { language: 'python', file: 'python/total.py', hash, function: 'total', mode: 'write' };
  expect(catalog.tools.total?.source).toEqual(source);
  expect(catalog.tools.reads?.source).toEqual({ ...source, function: 'reads', mode: 'read' });
  expect(catalog.resources['shop://item']?.source).toEqual({
    ...source,
    function: 'shop_item',
    mode: 'read',
  });
  expect(catalog.tools.total?.wire).not.toHaveProperty('annotations');
  expect(catalog.tools.reads?.wire.annotations).toEqual({ readOnlyHint: true });
  expect(JSON.parse(JSON.stringify(catalog))).toEqual(catalog);
});
