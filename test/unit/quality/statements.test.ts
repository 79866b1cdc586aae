import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStatements } from '../../../src/quality/statements.ts';
import { type EngineName, loadTree, type Served, serveTree } from '../call/project.ts';

/* DuckDB stops planning at a parameter whose type is open, and reports nothing that follows it. */

const SEED = `CREATE TABLE products (sku VARCHAR, stock INTEGER, details JSON, tags VARCHAR[]);
  CREATE SEQUENCE ids`;

const tool = (name: string, parameter: string, sql: string) => `svc: 1
tool:
  name: ${name}
  description: The products
  parameters: [{ name: p, description: A value, ${parameter} }]
  source: { code: ${JSON.stringify(sql)} }
`;

/** Statements that fail at every call: parameter, SQL, the words of the finding. */
const WRONG: Readonly<Record<string, readonly [parameter: string, sql: string, words: string]>> = {
  column: ['type: integer', 'SELECT stock - $p AS rest, nope FROM products', 'column "nope" not found'],
  bare: ['type: integer', 'SELECT $p AS given, nope FROM products', 'column "nope" not found'],
  filter: ['type: integer', 'SELECT sku FROM products WHERE stock > $p * 2 AND nope = 3', '"nope" not found'],
  order: ['type: integer', 'SELECT sku FROM products WHERE stock - $p > 0 ORDER BY nope', '"nope" not found'],
  alias: ['type: string', 'SELECT p.sku || $p AS x, p.nope FROM products p', 'does not have a column named'],
  table: ['type: integer', 'SELECT $p + 1 AS x FROM products, nopes', 'Table with name nopes does not exist'],
  subquery: [
    'type: integer',
    'SELECT $p + stock AS x, (SELECT max(a) FROM nopes) AS y FROM products',
    'Table with name nopes does not exist',
  ],
  function: [
    'type: string',
    'SELECT sku || $p AS x, nope_fn(sku) AS y FROM products',
    'name nope_fn does not exist',
  ],
  grouped: [
    'type: integer',
    'SELECT stock + $p AS x, max(sku) AS y FROM products',
    'must appear in the GROUP BY',
  ],
  types: ['type: string', 'SELECT $p AS x, sku + stock AS y FROM products', 'No function matches'],
};

const WRITES: typeof WRONG = {
  update: [
    'type: integer',
    'UPDATE products SET stock = stock - $p, nope = 1 RETURNING sku',
    'column nope not',
  ],
  returning: [
    'type: integer',
    'UPDATE products SET stock = stock - $p RETURNING $p AS x',
    'prepared parameter',
  ],
};

/** Statements whose example values do not fit, though other values may. */
const RIGHT: Readonly<Record<string, readonly [parameter: string, sql: string]>> = {
  cast: ['type: string', 'SELECT sku FROM products WHERE stock > $p::INTEGER'],
  path: ['type: string', 'SELECT json_extract(details, $p) AS x FROM products'],
  sequence: ['type: string', "SELECT currval($p) AS x FROM products WHERE sku <> 'a'"],
  part: ['type: string', "SELECT date_part($p, TIMESTAMP '2026-01-01') AS x"],
  file: ['type: string', "SELECT table_name FROM duckdb_tables() WHERE table_name = 'no ' || $p"],
  nothing: ['type: string, default: null', 'SELECT $p + INTERVAL 1 DAY AS x'],
  name: ['type: string', "SELECT name FROM pragma_table_info($p) WHERE name <> 'text'"],
  list: ['type: array', 'SELECT sku FROM products WHERE list_has_any(tags, $p)'],
};

const treeOf = (statements: Readonly<Record<string, readonly [string, string, string?]>>) =>
  Object.fromEntries(
    Object.entries(statements).map(([name, [parameter, sql]]) => [
      `tools/${name}.yml`,
      tool(name, parameter, sql),
    ]),
  );

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])(
  'statements with parameters (%s)',
  (engine) => {
    const wrong = engine === 'native, read-write' ? { ...WRONG, ...WRITES } : WRONG;
    const tree = { ...treeOf(wrong), ...treeOf(RIGHT) };
    let served: Served;
    beforeAll(async () => {
      served = await serveTree(tree, SEED, engine);
    });
    afterAll(() => served.close());

    it('are planned to their end, with example values, and values alone are no error', async () => {
      const project = await loadTree(tree);
      const endpoints = project.endpoints.flatMap(({ endpoint }) =>
        endpoint?.kind === 'tool' ? [endpoint] : [],
      );
      const database = await served.runtime.database();
      const serving = { platform: null, engine: database.engine };
      const findings = await checkStatements(endpoints, served.runtime.catalog, database, serving);
      const found = Object.fromEntries(findings.map(({ file, message }) => [file, message]));
      const expected = Object.entries(wrong).map(([name, [, , words]]) => [
        `tools/${name}.yml`,
        expect.stringContaining(words),
      ]);
      expect(found).toEqual(Object.fromEntries(expected));
    });
  },
);
