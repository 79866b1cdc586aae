import { describe, expect, it } from 'vitest';
import type { AnyEntry, Catalog, ToolEntry } from '../../../src/catalog/model.ts';
import { searchTools } from '../../../src/catalog/tool-search.ts';
import { narrowCatalog, parseTags } from '../../../src/catalog/toolset.ts';
import { catalogOf, tool } from '../mcp/fixture.ts';

function tagged(name: string, tags: readonly string[], description = ''): ToolEntry {
  const entry = tool(name, { sql: 'numbers' });
  return { ...entry, wire: { ...entry.wire, description, _meta: { 'svc-kit/tags': tags } } };
}

const CATALOG: Catalog = {
  ...catalogOf([tagged('a', ['x']), tagged('b', ['x', 'y']), tool('c', { sql: 'numbers' })]),
  prompts: { p: { ...tagged('p', ['y']), kind: 'prompt', messages: [] } },
};

const namesOf = ({ tools, prompts }: Catalog) =>
  [tools, prompts].flatMap<AnyEntry>((kind) => Object.values(kind)).map(({ name }) => name);

describe('toolsets', () => {
  it('have the endpoints with one of the tags, of every kind', () => {
    expect(namesOf(narrowCatalog(CATALOG, ['x']))).toEqual(['a', 'b']);
    expect(namesOf(narrowCatalog(CATALOG, ['y']))).toEqual(['b', 'p']);
    expect(namesOf(narrowCatalog(CATALOG, ['x', 'y']))).toEqual(['a', 'b', 'p']);
    expect(narrowCatalog(CATALOG, [])).toBe(CATALOG);
  });

  // Requirements: toolset.narrows
  it('can only narrow', () => {
    const narrow = narrowCatalog(CATALOG, ['x']);
    expect(namesOf(narrowCatalog(narrow, ['y']))).toEqual(['b']);
    expect(() => narrowCatalog(narrow, ['z'])).toThrow('No endpoint has the tag z.');
  });

  it('are written with commas, blanks and repetitions aside', () => {
    expect(parseTags(' b, a,,b ')).toEqual(['a', 'b']);
    expect(parseTags('')).toEqual([]);
  });
});

describe('search', () => {
  const tools = [
    tagged('open_orders', ['sales'], 'Orders that nobody has shipped.'),
    tagged('stock_of', ['warehouse'], 'Pieces in the warehouse for each order line.'),
    tagged('top_customers', ['sales'], 'Customers with the highest revenue.'),
    ...Array.from({ length: 8 }, (_, index) => tagged(`report_${index}`, ['reports'])),
  ];
  const found = (query: string) => JSON.parse(JSON.stringify(searchTools(tools, query)));

  it('puts a name before a tag and a description', () => {
    const names = found('orders').tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['open_orders', 'stock_of']);
    expect(found('orders').tools[0].inputSchema).toEqual(tools[0]?.wire.inputSchema);
  });

  it('gives schemas of the best five, and further names', () => {
    expect(found('reports').tools).toHaveLength(5);
    expect(found('reports').others).toEqual(['report_5', 'report_6', 'report_7']);
  });

  it('puts the tool with the name of the query first, among many that match', () => {
    const many = ['at', 'by', 'for', 'in', 'of', 'on'].map((other) => tagged(`${other}_report`, []));
    expect(searchTools([...many, tagged('report', [])], 'report')).toMatchObject({
      tools: [{ name: 'report' }, {}, {}, {}, {}],
    });
  });

  it('says so if nothing matches', () => {
    expect(found('zebra')).toEqual({ tools: [], hint: expect.stringContaining('No tool matches') });
  });
});
