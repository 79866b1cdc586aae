import { describe, expect, it } from 'vitest';
import { checkCatalog } from '../../../../src/catalog/checks/check.ts';
import { load, short, type Tree } from '../../project/memory.ts';

/** `file:line:column code: message fix` of everything that the check adds to a project that loads. */
async function check(tree: Tree): Promise<readonly string[]> {
  const project = await load(tree);
  expect(project.findings).toEqual([]);
  return (await checkCatalog(project)).map((finding) => `${finding.file}:${short(finding)}`);
}

const TOOL = (lines: string) => ({ 'tools/a.yml': `tool:\n  name: a\n${lines}\n` });
const ID = '  parameters: [{ name: id, type: integer }]\n';

describe('the SQL of an endpoint', () => {
  // Requirements: endpoint.source
  it('uses exactly the declared parameters', async () => {
    expect(await check(TOOL(`${ID}  source: { code: SELECT $id + $id }`))).toEqual([]);
    expect(await check(TOOL(`${ID}  source: { code: "SELECT $idd" }`))).toEqual([
      'tools/a.yml:3:24 sql-unused: The SQL does not use the parameter id. Write $id into the SQL, or remove the parameter.',
      'tools/a.yml:4:27 sql-undeclared: The SQL uses $idd, which is not declared under `parameters`. Did you mean $id?',
    ]);
    expect(await check(TOOL('  source: { code: SELECT $x }'))).toEqual([
      'tools/a.yml:3:26 sql-undeclared: The SQL uses $x, which is not declared under `parameters`. Declare x under `parameters`.',
    ]);
  });

  it.each([
    [
      '{ type: object, properties: { A: { type: integer }, a: { type: integer } } }',
      'A and a differ in upper and lower case only',
    ],
    ['{ type: object, properties: { "": { type: integer } } }', 'A property without a name'],
    [
      '{ type: array, items: { type: object, properties: { o: { type: object, properties: { É: {type: string}, é: {type: string} } } } } }',
      'É and é differ',
    ],
  ])('takes no properties that SQL cannot tell apart: %s', async (type, message) => {
    const parameter = type.replace('{ ', '{ name: v, ');
    const found = await check(TOOL(`  parameters:\n    - ${parameter}\n  source: { code: SELECT $v }`));
    expect(found).toEqual([expect.stringContaining(message)]);
    expect(found[0]).toMatch(/^tools\/a\.yml:4:\d+ sql-property: /);
    const python = `  parameters:\n    - ${parameter}\n  language: python\n  source: { file: /a.py }`;
    expect(
      (await check({ ...TOOL(python), 'a.py': '' })).filter((one) => one.includes('sql-property')),
    ).toEqual([]);
  });

  it('does not take strings and comments for parameters', async () => {
    expect(
      await check(TOOL(`  source:\n    code: |\n      SELECT '$x', "$y" -- $z\n      /* $w */`)),
    ).toEqual([]);
  });

  it('is found by its own lines inside of a block', async () => {
    const found = await check(TOOL('  source:\n    code: |\n      SELECT 1,\n        $x'));
    expect(found).toEqual([expect.stringMatching(/^tools\/a\.yml:6:9 sql-undeclared/)]);
  });

  it('is found by the lines of its own file', async () => {
    const found = await check({ ...TOOL('  source: { file: /q.sql }'), 'q.sql': '-- first\nSELECT\n  $x' });
    expect(found).toEqual([expect.stringMatching(/^q\.sql:3:3 sql-undeclared/)]);
  });

  it('is found where it begins when YAML folds its lines', async () => {
    const found = await check(TOOL('  source:\n    code: SELECT 1,\n      $x'));
    expect(found).toEqual([expect.stringMatching(/^tools\/a\.yml:4:11 sql-undeclared/)]);
  });

  it.each([
    [
      'SELECT 1; SELECT 2',
      '3:30 sql-statements: A second statement begins here, but an endpoint runs one only. Combine them with WITH, or make an endpoint of each.',
    ],
    ['-- nothing', '3:20 sql-empty: There is no SQL here. Write a statement.'],
    [';', '3:20 sql-empty: There is no SQL here. Write a statement.'],
    [
      "SELECT 'open",
      expect.stringMatching(/3:27 sql-syntax: This string is never closed\. Correct the SQL\.$/),
    ],
    ['SELEC 1', '3:20 sql-syntax: No statement begins with SELEC. Did you mean SELECT?'],
    ['wiht x AS (SELECT 1) FROM x', '3:20 sql-syntax: No statement begins with wiht. Did you mean WITH?'],
    ['WITH x AS (SELECT 1) FORM x', '3:41 sql-syntax: No statement begins with FORM. Did you mean FROM?'],
    ['SELECT $1', expect.stringMatching(/3:27 sql-syntax: \$1 is a positional parameter/)],
  ])('%s', async (code, finding) => {
    const found = await check(TOOL(`  source: { code: ${JSON.stringify(code)} }`));
    expect(found.map((text) => text.replace('tools/a.yml:', ''))).toEqual([finding]);
  });

  it('may end with a semicolon', async () => {
    expect(await check(TOOL('  source: { code: SELECT 1; }'))).toEqual([]);
  });

  it('does not write where the author says that it only reads', async () => {
    const code = (sql: string) => TOOL(`  annotations: { readOnlyHint: true }\n  source: { code: ${sql} }`);
    expect(await check(code('SELECT 1'))).toEqual([]);
    expect(await check(code('DELETE FROM t'))).toEqual([
      'tools/a.yml:3:32 annotation: `readOnlyHint` is true, but the SQL writes: DELETE. Remove `readOnlyHint`: it follows from the SQL.',
    ]);
  });

  it('is none where the endpoint is in Python', async () => {
    const files = { ...TOOL('  language: python\n  source: { file: /f.py }'), 'f.py': 'def a(): return 1' };
    expect(await check(files)).toEqual([]);
  });
});

describe('the tests of an endpoint', () => {
  const TESTED = (test: string) =>
    TOOL(`${ID}  source: { code: SELECT $id }\n  tests:\n    - { name: t, ${test} }`);

  it.each([
    ['arguments: [{ key: id, value: 1 }]', []],
    ['arguments: [{ key: id, value: "1" }]', []],
    [
      'arguments: [{ key: idd, value: 1 }, { key: id, value: 1 }]',
      ['6:37 test-argument: There is no parameter "idd". Did you mean id?'],
    ],
    [
      'arguments: [{ key: id, value: 1 }, { key: id, value: 2 }]',
      ['6:60 test-argument: The argument id is given twice. Keep one of them.'],
    ],
    [
      'result: 1',
      [
        '6:7 test-argument: The test has no argument id, which is required. Add { key: id, value: ... } to its `arguments`, or `error_contains` if the error is intended.',
      ],
    ],
    [
      'arguments: [{ key: id, value: x }]',
      [expect.stringMatching(/^6:48 test-argument: This value for id is invalid: it must be a whole number/)],
    ],
    ['arguments: [{ key: id, value: x }], error_contains: whole number', []],
    ['denied: true', []],
  ])('%s', async (test, findings) => {
    const found = await check(TESTED(test));
    expect(found.map((text) => text.replace('tools/a.yml:', ''))).toEqual(findings);
  });
});

it('the arguments of a test are texts where the parameter is one', async () => {
  const test = (value: string) =>
    check(
      TOOL(
        `  parameters: [{ name: zip, type: string }]\n  source: { code: SELECT $zip }\n  tests:\n    - { name: t, arguments: [{ key: zip, value: ${value} }] }`,
      ),
    );
  expect(await test('"02134"')).toEqual([]);
  expect(await test('02134')).toEqual([
    expect.stringContaining(
      'This value for zip is invalid: it must be text, not a number: put it in quotes.',
    ),
  ]);
});

describe('policies and templates', () => {
  it('has policies checked against what they may see', async () => {
    const rule = '  policies:\n    input:\n      - { condition: usr.role == 1, action: deny }\n';
    expect(await check(TOOL(`${rule}  source: { code: SELECT 1 }`))).toEqual([
      expect.stringMatching(/^tools\/a\.yml:5:22 policy: /),
    ]);
  });

  it('has templates checked against the parameters, in their own lines', async () => {
    const prompt =
      'prompt:\n  name: p\n  parameters: [{ name: who, type: string }]\n  messages:\n    - prompt: |\n        Hello\n        dear {{ woh }}\n';
    expect(await check({ 'prompts/p.yml': prompt })).toEqual([
      'prompts/p.yml:7:17 template: The template uses "woh", which is not a parameter. Did you mean "who"?',
    ]);
  });
});

describe('a disabled endpoint', () => {
  it('has warnings only', async () => {
    const project = await load(TOOL('  enabled: false\n  source: { code: SELECT $x }'));
    expect(await checkCatalog(project)).toMatchObject([{ severity: 'warning', code: 'sql-undeclared' }]);
  });
});
