import { expect, it } from 'vitest';
import { checkStatements } from '../../../src/quality/statements.ts';
import { loadTree, serveTree } from '../call/project.ts';

const row = (required: string) =>
  `{ type: object, required: [${required}], properties: { id: { type: integer }, name: { type: string }, id_1: { type: integer } } }`;

const tool = (name: string, sql: string, returns: string) => `svc: 1
tool:
  name: ${name}
  description: Customers
  parameters: [{ name: p, type: integer, description: A number, default: 1 }]
  return: ${returns}
  source: { code: ${JSON.stringify(sql)} }
`;

const TREE = {
  'tools/missing.yml': tool(
    'missing',
    'SELECT id, $p AS p FROM t',
    `{ type: array, items: ${row('id, name')} }`,
  ),
  'tools/case.yml': tool('case', 'SELECT id AS ID, name FROM t WHERE id = $p', row('id')),
  'tools/there.yml': tool(
    'there',
    'SELECT * FROM t WHERE id = $p',
    `{ type: array, items: ${row('id, name')} }`,
  ),
  'tools/optional.yml': tool('optional', 'SELECT id FROM t WHERE id = $p', row('id')),
  // The second is id_1 in the result.
  'tools/twice.yml': tool('twice', 'SELECT a.id, b.id FROM t a, t b WHERE a.id = $p', row('id_1')),
};

it.each(['wasm', 'native'] as const)(
  'columns that `return` requires and no query returns are errors (%s)',
  async (engine) => {
    const served = await serveTree(TREE, 'CREATE TABLE t (id INTEGER, name VARCHAR)', engine);
    const { endpoints } = await loadTree(TREE);
    const tools = endpoints.flatMap(({ endpoint }) => (endpoint?.kind === 'tool' ? [endpoint] : []));
    const database = await served.runtime.database();
    const serving = { platform: null, engine: database.engine };
    const findings = await checkStatements(tools, served.runtime.catalog, database, serving);
    await served.close();
    expect(findings.map(({ file, code, message }) => `${file} ${code}: ${message}`)).toEqual([
      'tools/case.yml column-missing: `return` requires id, but the query returns no such column, so every row is refused.',
      'tools/missing.yml column-missing: `return` requires name, but the query returns no such column, so every row is refused.',
    ]);
  },
);
