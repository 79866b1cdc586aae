import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStatements } from '../../../src/quality/statements.ts';
import { loadTree, type Served, serveTree } from '../call/project.ts';

const SEED = `CREATE TABLE staff AS SELECT 1 AS id, 'Ada' AS name, 10 AS Salary;
  CREATE TABLE past AS SELECT 1 AS id, 9 AS salary; CREATE TABLE pays AS SELECT 1 AS "pay.net"`;
const JOIN = 'SELECT * FROM staff s JOIN past p ON s.id = p.id WHERE s.name = $name OR $name IS NULL -- all';

const tool = (name: string, sql: string, rest: string) => `svc: 1
tool:
  name: ${name}
  description: Staff and what they earned.
  parameters:
    - { name: name, type: string, description: Whose., default: null }
  source:
    code: |
      ${sql}
${rest}`;

const rule = (action: string) =>
  `  policies:\n    output:\n      - { condition: "true", action: ${action} }\n`;
const SENSITIVE = `  return:
    type: array
    items: { type: object, properties: { salary: { type: integer, sensitive: true } } }
`;

const TREE = {
  'tools/filtered.yml': tool('filtered', JOIN, rule('filter_fields, fields: [salary]')),
  'tools/masked.yml': tool('masked', JOIN, rule('mask_fields, fields: [SALARY]')),
  'tools/sensitive.yml': tool('sensitive', JOIN, SENSITIVE),
  'tools/dotted.yml': tool(
    'dotted',
    'SELECT a."pay.net", b."pay.net" FROM pays a, pays b WHERE $name IS NULL',
    rule('filter_fields, fields: [pay.net]'),
  ),
  // DuckDB calls the second id `id_1`, and the column of that name `id_1_1`.
  'tools/taken.yml': tool(
    'taken',
    'SELECT s.id, p.id, s.name AS id_1 FROM staff s, past p WHERE $name IS NULL',
    rule('filter_fields, fields: [ID_1]'),
  ),
  'tools/nothing.yml': tool('nothing', JOIN, ''),
  'tools/other.yml': tool('other', JOIN, rule('filter_fields, fields: [name]')),
  'tools/given.yml': tool('given', 'SELECT $name AS salary', rule('filter_fields, fields: [salary]')),
  'tools/no-example.yml': tool(
    'no_example',
    'SELECT $name + INTERVAL 1 DAY AS salary',
    rule('filter_fields, fields: [salary]'),
  ),
  'tools/table.yml': tool('table', 'FROM staff WHERE $name = name', rule('filter_fields, fields: [salary]')),
  'tools/absent.yml': tool(
    'absent',
    'SELECT *, {street: 1, "zip code": 2} AS address FROM staff WHERE $name IS NULL',
    rule(
      "filter_fields, fields: [salry, '*', response.salary, $.salary, name, SALARY, address.street, address.zip code, address.stret, id.x]",
    ),
  ),
  'tools/absent-sensitive.yml': tool(
    'absent_sensitive',
    'SELECT id, salary FROM staff WHERE $name IS NULL',
    SENSITIVE.replace('salary', 'salry'),
  ),
  'tools/named.yml': tool(
    'named',
    'SELECT s.salary, p.salary AS before FROM staff s, past p WHERE $name IS NULL',
    rule('filter_fields, fields: [salary, before]'),
  ),
};

const resource = (name: string, completion: string, rest: string, source: string) => `svc: 1
resource:
  uri: ${name}://{name}/{value}
  parameters: [{ name: name, type: string }, { name: value, type: integer, default: 1 }]
  completion:
    ${completion}
${rest}
  source: ${source}
`;
const QUERY = '{ code: "SELECT *, {street: 1} AS address FROM staff WHERE name = $name AND id = $value" }';
const RESOURCES = {
  'resources/renamed.yml': resource(
    'renamed',
    'name: SELECT name AS v FROM staff WHERE starts_with(name, $value)',
    rule('filter_fields, fields: [salary]'),
    QUERY,
  ),
  'resources/same.yml': resource(
    'same',
    'name: SELECT NAME FROM staff WHERE starts_with(name, $value)',
    rule('filter_fields, fields: [salary]'),
    QUERY,
  ),
  'resources/part.yml': resource(
    'part',
    `name: SELECT 'x' AS "address.street"\n    value: SELECT 'x' AS "address.zip"`,
    rule('mask_fields, fields: [salary]'),
    QUERY,
  ),
  'resources/free.yml': resource('free', 'name: SELECT name AS v FROM staff', rule('deny'), QUERY),
  'resources/broken.yml': resource(
    'broken',
    'name: SELECT nothing AS v FROM staff',
    rule('filter_fields, fields: [salary]'),
    QUERY,
  ),
  'resources/function.yml': resource(
    'function',
    'name: SELECT name FROM staff\n    value: SELECT name AS v FROM staff',
    `${rule('filter_fields, fields: [name]')}  return: { type: object, properties: { name: { type: string } } }`,
    '{ file: ../python/function.py }',
  ),
  'python/function.py': 'def function(name, value):\n    return {}\n',
};

const WRITES = {
  'tools/raise.yml': tool(
    'raise',
    'UPDATE staff SET salary = 11 WHERE name = $name RETURNING id, salary, *',
    rule('filter_fields, fields: [salary]'),
  ),
  'tools/hire.yml': tool(
    'hire',
    'INSERT INTO staff BY NAME SELECT 2 AS id, $name AS name RETURNING *',
    rule('filter_fields, fields: [salary]'),
  ),
  'tools/fire.yml': tool(
    'fire',
    'DELETE FROM staff WHERE name = $name RETURNING id, *',
    rule('filter_fields, fields: [salary]'),
  ),
};

describe.each(['native, read-write', 'native, own process'] as const)('columns of a write (%s)', (engine) => {
  it('are errors where it gives them twice', async () => {
    const served = await serveTree(WRITES, SEED, engine);
    const project = await loadTree(WRITES);
    const endpoints = project.endpoints.flatMap(({ endpoint }) =>
      endpoint?.kind === 'tool' ? [endpoint] : [],
    );
    const database = await served.runtime.database();
    const serving = { platform: null, engine: database.engine };
    const findings = await checkStatements(endpoints, served.runtime.catalog, database, serving);
    expect(findings.map(({ file, code }) => `${file} ${code}`)).toEqual(['tools/raise.yml column-twice']);
    await served.close();
  });
});

describe.each(['wasm', 'native'] as const)('columns that a rule hides once (%s)', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveTree(TREE, SEED, engine);
  });
  afterAll(() => served.close());

  it('are errors where the query gives them twice, and nothing else is', async () => {
    const project = await loadTree(TREE);
    const endpoints = project.endpoints.flatMap(({ endpoint }) =>
      endpoint?.kind === 'tool' ? [endpoint] : [],
    );
    expect(endpoints.map(({ name }) => name).toSorted()).toEqual(
      Object.keys(served.runtime.catalog.tools).toSorted(),
    );
    const database = await served.runtime.database();
    const serving = { platform: null, engine: database.engine };
    const findings = await checkStatements(endpoints, served.runtime.catalog, database, serving);
    const absent = findings.filter(({ code }) => code === 'column-absent');
    expect(
      absent.map(({ file, message }) => `${file} ${/field (\S+(?: code)?),/.exec(message)?.[1]}`),
    ).toEqual([
      'tools/absent-sensitive.yml salry',
      'tools/absent.yml salry',
      'tools/absent.yml *',
      'tools/absent.yml response.salary',
      'tools/absent.yml $.salary',
      'tools/absent.yml address.stret',
      'tools/absent.yml id.x',
    ]);
    const twice = findings.filter(({ code }) => code !== 'column-absent');
    expect(twice.map(({ file, code, line }) => `${file}:${line} ${code}`)).toEqual([
      'tools/dotted.yml:9 column-twice',
      'tools/filtered.yml:9 column-twice',
      'tools/masked.yml:9 column-twice',
      'tools/sensitive.yml:9 column-twice',
      'tools/taken.yml:9 column-twice',
    ]);
    expect(twice[1]?.message).toContain('the second is visible as salary_1');
  });
});

describe.each(['wasm', 'native'] as const)('columns of completions (%s)', (engine) => {
  it('are errors where a rule hides fields, and the result has no such column', async () => {
    const served = await serveTree(RESOURCES, SEED, engine);
    const project = await loadTree(RESOURCES);
    const endpoints = project.endpoints.flatMap(({ endpoint }) =>
      endpoint?.kind === 'resource' ? [endpoint] : [],
    );
    expect(endpoints).toHaveLength(6);
    const database = await served.runtime.database();
    const serving = { platform: null, engine: database.engine };
    const findings = await checkStatements(endpoints, served.runtime.catalog, database, serving);
    expect(findings.map(({ file, code, message }) => `${file} ${code} ${message.split(',')[0]}`)).toEqual([
      'resources/function.yml completion The completion of value returns the column v',
      'resources/part.yml completion The completion of value returns the column address.zip',
      'resources/renamed.yml completion The completion of name returns the column v',
    ]);
    await served.close();
  });
});
