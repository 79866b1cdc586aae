import { expect, it } from 'vitest';
import { toOffersText } from '../../../../cli/serve/banner.ts';
import { compileCatalog } from '../../../../src/catalog/compile.ts';
import { countOffers } from '../../../../src/mcp/instructions.ts';
import { load } from '../../project/memory.ts';

it('counts all that a server offers, not its tools alone', async () => {
  const skill = '---\nname: ask\ndescription: How to ask\n---\nAsk.\n';
  const catalog = await compileCatalog(
    await load({
      'tools/a.yml': 'tool: { name: a, source: { code: SELECT 1 } }\n',
      'tools/b.yml': 'tool: { name: b, source: { code: SELECT 1 } }\n',
      'resources/c.yml': 'resource: { uri: "x://c", source: { code: SELECT 1 } }\n',
      'skills/ask.md': skill,
    }),
  );
  expect(toOffersText(countOffers(catalog))).toBe('2 tools, 1 resource, 1 skill');
  expect(toOffersText(countOffers({ ...catalog, tools: {}, resources: {} }))).toBe('no endpoints');
});
