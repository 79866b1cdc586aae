import { expect, it } from 'vitest';
import { checkCatalog } from '../../../../src/catalog/checks/check.ts';
import { load, SITE } from '../../project/memory.ts';

async function problemsOf(body: string, kind = 'tool'): Promise<string[]> {
  const project = await load({
    'svc-site.yml': SITE,
    [`${kind}s/one.yml`]: `${kind}:\n  name: one\n${body}`,
  });
  return [...project.findings, ...(await checkCatalog(project))].map(
    ({ code, message }) => `${code}: ${message}`,
  );
}

const FIELD = '{ name: size, type: integer }';
const form = (more: string, fields = FIELD) =>
  `  ask:\n    - { name: q, message: How many?, fields: [${fields}], ${more} }\n  source: { code: SELECT $size AS size }\n`;

it.each([
  ['a good question', form('otherwise: deny'), []],
  [
    'an unknown value in a text',
    `  confirm: Wipe {{ what }}?\n  source: { code: SELECT 1 }\n`,
    [/template: .*"what"/],
  ],
  ['an unknown value in a condition', form('when: sizes > 1'), [/ask: .*sizes/]],
  ['a condition about its own answer', form('when: size > 1'), [/ask: .*size/]],
  [
    'an answer that nothing uses',
    form('otherwise: deny').replace('$size', '1'),
    [/sql-unused: .*answer size/],
  ],
  ['a name that occurs twice', form('otherwise: deny', `${FIELD}, ${FIELD}`), [/ask: size occurs twice/]],
  ['a form that cannot be skipped', form('otherwise: skip'), [/cannot be skipped/]],
  ['a form of an object', form('otherwise: deny', '{ name: size, type: object }'), [/not allowed in a form/]],
  [
    'titles that do not fit',
    form('otherwise: deny', '{ name: size, type: string, enum: [a, b], titles: [A] }'),
    [/one title for each value/],
  ],
  [
    'a question without a text',
    '  ask: [{ name: q, kind: sampling }]\n  source: { code: SELECT $q }\n',
    [/`message`/],
  ],
  ['fields of a model', form('kind: sampling'), [/`fields`/]],
  [
    'content that is one value',
    '  content: rows\n  return: { type: string }\n  source: { code: SELECT 1 }\n',
    [/content/],
  ],
])('%s', async (_, body, expected) => {
  const problems = await problemsOf(body);
  expect(problems).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(problems[index]).toMatch(pattern);
});

it.each([
  ['SELECT $valu', /neither a parameter nor \$value/],
  ['DELETE FROM t', /single read-only statement/],
  ['SELECT 1; SELECT 2', /single read-only statement/],
  ["SELECT 'a", /./],
])('a completion by %s', async (sql, pattern) => {
  const body = `  parameters: [{ name: a, type: string }]\n  completion: { a: "${sql}" }\n  messages: [{ prompt: "{{ a }}" }]\n`;
  const problems = await problemsOf(body, 'prompt');
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^completion: /);
  expect(problems[0]).toMatch(pattern);
});
